"""Links in the working directory by which code finds the sources of its datasets."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from assay_runner.workers import SCRIPT

_SOURCE = "source"
# Of formats that are not called like their files.
_EXTENSIONS = {".excel": ".xlsx"}


def link_sources(directory: str, workspace: str, display_names: Mapping[str, str]) -> None:
    """Link each dataset's source as `DISPLAY.FORMAT`, or `DISPLAY` if it is a directory.

    Where two datasets have one display name, the first by name is linked. A source that would have
    the name of the script is not linked.

    Args:
        directory: where datasets are mounted, by name.
        workspace: where links are created; nothing there is replaced.
        display_names: names that differ, by name.
    """
    for name in _listed(directory):
        for file in _listed(os.path.join(directory, name)):
            stem, extension = os.path.splitext(file)
            if stem == _SOURCE:
                link = display_names.get(name, name) + _EXTENSIONS.get(extension, extension)
                if link == SCRIPT:
                    continue
                # Code can still read the source below the directory.
                with contextlib.suppress(OSError):
                    os.symlink(os.path.join(directory, name, file), os.path.join(workspace, link))


def _listed(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
