"""Images that the documentation says how to build."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cluster.errors import ClusterError
from cluster.settings import REPOSITORY
from images import buildah

_BLOCK = re.compile(r"^```dockerfile\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FROM = re.compile(r"^FROM \S+$", re.MULTILINE)


@dataclass(frozen=True)
class Recipe:
    """A page with one Containerfile, and the name of its image."""

    name: str
    page: Path


MORE_PACKAGES = Recipe("runner-graphs", REPOSITORY / "docs" / "run-classes.md")
STDIO_SERVER = Recipe("stdio-server", REPOSITORY / "docs" / "tool-servers.md")


def containerfile(page: str, base: str) -> str:
    """The recipe in the text of a page, on another base."""
    blocks = _BLOCK.findall(page)
    if len(blocks) != 1 or not _FROM.match(blocks[0]):
        raise ClusterError("expected one dockerfile block, which begins with FROM")
    return _FROM.sub(f"FROM {base}", blocks[0], count=1)


def build(recipe: Recipe, base: str, tag: str, context: Path) -> str:
    """Builds a recipe on a base; returns the image's name in the storage.

    `context` is the folder that its Containerfile copies from.
    """
    reference = f"localhost/assay/{recipe.name}:{tag}"
    try:
        text = containerfile(recipe.page.read_text(), base)
    except ClusterError as error:
        raise ClusterError(f"{recipe.page.name}: {error}") from error
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "Containerfile"
        file.write_text(text)
        buildah.build(recipe.name, file, context, reference)
    return reference
