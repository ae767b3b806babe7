"""Links in the working directory by which code finds the sources of its datasets."""

from __future__ import annotations

import os
from collections.abc import Mapping

from assay_runner.workers import SCRIPT

_SOURCE = "source"
# Of formats that are not called like their files.
_EXTENSIONS = {".excel": ".xlsx"}


def link_sources(directory: str, workspace: str, display_names: Mapping[str, str]) -> None:
    """Link each dataset's source as `DISPLAY.FORMAT`, or `DISPLAY` if it is a directory.

    Where that name is taken, as by another dataset with the display name, the link is called like
    the dataset in Kubernetes; the first by that name has the display name. A source that would have
    the name of the script is not linked.

    Args:
        directory: where datasets are mounted, by name.
        workspace: where links are created; nothing there is replaced.
        display_names: names that differ, by name.
    """
    unlinked = []
    for name in _listed(directory):
        for file in _listed(os.path.join(directory, name)):
            stem, extension = os.path.splitext(file)
            if stem == _SOURCE:
                extension = _EXTENSIONS.get(extension, extension)
                source = os.path.join(directory, name, file)
                if not _link(source, workspace, display_names.get(name, name) + extension):
                    unlinked.append((source, name + extension))
    # Afterwards, so that no display name is taken by the name of another dataset.
    for source, link in unlinked:
        _link(source, workspace, link)


def _link(source: str, workspace: str, link: str) -> bool:
    """Return whether no other link has the name; code can read the source in its directory too."""
    if link == SCRIPT:
        return True
    try:
        os.symlink(source, os.path.join(workspace, link))
    except FileExistsError:
        return False
    except OSError:
        pass
    return True


def _listed(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
