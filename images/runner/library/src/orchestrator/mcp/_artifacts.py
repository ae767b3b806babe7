"""Names files that are to be kept after the run."""

from __future__ import annotations

import os
from pathlib import Path

_WORK = ".work"
_MAX_PATH_BYTES = 256


def register_artifact(path: str | os.PathLike[str]) -> str:
    """Keep a file after the run, even a hidden one.

    Files in the working directory are kept without it, unless they or their folder are hidden. The
    contents at the end of the code are kept.

    Args:
        path: of a regular file.

    Returns:
        The path relative to the working directory.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is not a regular file below the working directory, or its path is over
            256 bytes or has control characters.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("notes.txt").write_text("three outliers")
        >>> register_artifact("notes.txt")
        'notes.txt'
    """
    shown = str(path)
    root = _root()
    # Links are not collected, so that of a link to a file is not the file's.
    absolute = Path(os.path.abspath(shown))
    if not absolute.exists():
        raise FileNotFoundError(f"no file to register: {shown[:_MAX_PATH_BYTES]!r}")
    if absolute.is_symlink() or not absolute.is_file():
        raise ValueError(f"not a regular file: {shown!r}")
    if not absolute.is_relative_to(root) or not absolute.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"not below the working directory: {shown!r}")
    relative = absolute.relative_to(root).as_posix()
    if len(os.fsencode(relative)) > _MAX_PATH_BYTES or not relative.isprintable():
        raise ValueError(f"path over {_MAX_PATH_BYTES} bytes, or with control characters")
    (root / _WORK).mkdir(exist_ok=True)
    with (root / _WORK / "registered").open("a", encoding="utf-8") as file:
        file.write(relative + "\n")
    return relative


def _root() -> Path:
    """Return the directory where the run began, from which code may have gone."""
    here = Path.cwd()
    return next((path for path in (here, *here.parents) if (path / _WORK).is_dir()), here)
