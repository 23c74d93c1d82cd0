# SPDX-License-Identifier: Apache-2.0
"""The documentation site: `./scripts/shell ./scripts/docs` builds it, with warnings as errors."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

here = Path(__file__).parent
top = here.parent
sys.path.insert(0, str(here / "_ext"))

project = "eagle"
release = re.search(r"project\(eagle VERSION ([\d.]+)", (top / "CMakeLists.txt").read_text())[1]
version = release
copyright = "the eagle authors, Apache-2.0"

extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "generated",
    "inline_svg",
    "parameters",
]
exclude_patterns = ["*.in.md"]
myst_heading_anchors = 3
suppress_warnings = ["duplicate_declaration.cpp"]  # the namespace, once a header
highlight_language = "text"
pygments_dark_style = "github-dark"
smartquotes = False
python_maximum_signature_line_length = 100
cpp_maximum_signature_line_length = 110
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
linkcheck_anchors = False
linkcheck_timeout = 20

html_theme = "furo"
html_title = f"eagle {release}"
html_static_path = ["_static"]
html_css_files = ["eagle.css"]
html_copy_source = False
html_show_sphinx = False

# The Python package as it is installed; where it is not, its sources, with the compiled half mocked.
if find_spec("eagle") is None:
    sys.path.insert(0, str(top / "python"))
    autodoc_mock_imports = ["eagle._core"]
    suppress_warnings.append("autodoc.mocked_object")
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
breathe_show_include = False

# What is described elsewhere, or nowhere.
nitpick_ignore_regex = [
    ("py:.*", r"(os|collections|numpy|pathlib|typing|types|ctypes|eagle\._core)\..*"),
    ("cpp:.*", r"(std|Kokkos|detail|eagle::detail|MPI_Comm|uint\d+_t|int\d+_t|size_t|Reducible|EAGLE_\w+)\b.*"),
]
