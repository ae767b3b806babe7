"""The image with more Python packages, as docs/run-classes.md says how to build it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from cluster.errors import ClusterError
from cluster.settings import REPOSITORY
from images import buildah

PAGE = REPOSITORY / "docs" / "run-classes.md"
NAME = "runner-graphs"
_BLOCK = re.compile(r"^```dockerfile\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FROM = re.compile(r"^FROM \S+$", re.MULTILINE)


def containerfile(page: str, base: str) -> str:
    """The recipe in the text of the page, on another base."""
    blocks = _BLOCK.findall(page)
    if len(blocks) != 1 or not _FROM.match(blocks[0]):
        raise ClusterError(f"{PAGE.name} has no recipe, or more than one")
    return _FROM.sub(f"FROM {base}", blocks[0], count=1)


def build(tag: str) -> str:
    """Builds the recipe on the runner of this tag; returns the image's name in the storage."""
    reference = f"localhost/assay/{NAME}:{tag}"
    with tempfile.TemporaryDirectory() as context:
        file = Path(context) / "Containerfile"
        file.write_text(containerfile(PAGE.read_text(), f"localhost/assay/runner:{tag}"))
        buildah.build(NAME, file, Path(context), reference)
    return reference
