# SPDX-License-Identifier: Apache-2.0
"""Puts drawings (SVG files whose root has the class "drawing") into the page itself, so that they follow its light and dark."""

from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


class InlineSvg(SphinxPostTransform):
    default_priority = 5
    formats = ("html",)

    def run(self, **kwargs):
        for image in list(self.document.findall(nodes.image)):
            text = Path(self.env.srcdir, image["uri"]).read_text() if image["uri"].endswith(".svg") else ""
            _, begin, drawing = text.partition('<svg class="drawing')
            if begin:
                image.replace_self(nodes.raw("", f"<figure>{begin}{drawing}</figure>", format="html"))


def setup(app):
    app.add_post_transform(InlineSvg)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
