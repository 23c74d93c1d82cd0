# SPDX-License-Identifier: Apache-2.0
"""The tags of artifacts, and what every one of them must say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import make
from .exec import ABI_TAG_V1, ABI_TAG_V2, check_layout_sizes, layout_sizes

__all__ = [
    "ABI_TAG_V1",
    "ABI_TAG_V2",
    "ACCEPTED_ABI_TAGS",
    "DEVICE_CPU",
    "DEVICE_CUDA",
    "abi_version_of",
    "check_aether_abi",
    "check_layout_sizes",
    "layout_sizes",
]

ACCEPTED_ABI_TAGS = (ABI_TAG_V1, ABI_TAG_V2)
#: DLPack's codes of devices.
DEVICE_CPU = 1
DEVICE_CUDA = 2


def abi_version_of(tag: Any) -> int:
    """1 or 2 of the two tags, 0 of anything else."""
    return ACCEPTED_ABI_TAGS.index(tag) + 1 if isinstance(tag, str) and tag in ACCEPTED_ABI_TAGS else 0


def check_aether_abi(tag_or_mapping: str | Mapping[str, Any] | None, *, kind: str = "artifact", name: str = "") -> None:
    """Raises ValueError unless the tag, or the mapping's ``aether_abi``, is one that this eagle runs.

    >>> from eagle.abi import check_aether_abi
    >>> check_aether_abi("aether-abi/2")
    >>> check_aether_abi({"aether_abi": "aether-abi/9"}, kind="plugin", name="axpy")
    Traceback (most recent call last):
    eagle.errors.InvalidError: plugin 'axpy' is built for 'aether-abi/9': aether-abi/1 or aether-abi/2 is accepted
    """
    tag = tag_or_mapping.get("aether_abi") if isinstance(tag_or_mapping, Mapping) else tag_or_mapping
    if abi_version_of(tag) == 0:
        subject = f"{kind} '{name}'" if name else kind
        raise make("bundle", f"{subject} is built for {tag!r:.80}: {' or '.join(ACCEPTED_ABI_TAGS)} is accepted")
