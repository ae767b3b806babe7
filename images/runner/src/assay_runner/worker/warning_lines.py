"""Which line a warning names."""

from __future__ import annotations

import os
import sys
import types
import warnings
from typing import TextIO

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Libraries that this package calls for user code, and what shows their warnings.
_LIBRARIES = frozenset({"matplotlib", "mpl_toolkits", "plotly", "warnings", "_py_warnings"})


def install() -> None:
    """Have a warning that names a line of this package name the line of user code behind it.

    Where no user code is behind it, as at the end of a script, it names none.
    """
    plain = warnings.showwarning

    def showwarning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if filename.startswith(_PACKAGE):
            frame = _user_frame(sys._getframe(1))
            if frame is None:
                print(f"{category.__name__}: {message}", file=file or sys.stderr)
                return
            filename, lineno = frame.f_code.co_filename, frame.f_lineno
        plain(message, category, filename, lineno, file, line)

    warnings.showwarning = showwarning


def _user_frame(frame: types.FrameType | None) -> types.FrameType | None:
    while frame is not None and not _is_of_user(frame):
        frame = frame.f_back
    return frame


def _is_of_user(frame: types.FrameType) -> bool:
    file = frame.f_code.co_filename
    library = str(frame.f_globals.get("__name__")).partition(".")[0]
    return not (file.startswith((_PACKAGE, "<frozen ")) or library in _LIBRARIES)
