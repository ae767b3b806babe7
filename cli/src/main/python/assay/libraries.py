"""Where this environment has the libraries that code uses, and whether they are the right ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^;\s]+)$")
_SEPARATE = "install Assay into an environment of its own, with uvx, pipx or a new venv"


class IncompatibleLibrariesError(Exception):
    """A library is missing, or has another version than Assay requires."""


def library_folders(
    requirements: Iterable[str] | None = None,
    distribution: Callable[[str], metadata.Distribution] = metadata.distribution,
) -> list[Path]:
    """The folders of the pinned requirements of this package, each once.

    Raises IncompatibleLibrariesError for one that is missing or has another version: results would
    differ from those of a cluster.
    """
    if requirements is None:
        requirements = metadata.requires("assay") or []
    folders: dict[Path, None] = {}
    for requirement in requirements:
        pinned = _PINNED.match(requirement)
        if pinned is None:
            continue
        name, version = pinned.groups()
        try:
            found = distribution(name)
        except metadata.PackageNotFoundError as error:
            raise IncompatibleLibrariesError(
                f"{name} {version} is not installed: {_SEPARATE}"
            ) from error
        if found.version != version:
            raise IncompatibleLibrariesError(
                f"{name} {found.version} is installed, and Assay requires {version}: {_SEPARATE}"
            )
        folders[Path(str(found.locate_file(""))).resolve()] = None
    return list(folders)
