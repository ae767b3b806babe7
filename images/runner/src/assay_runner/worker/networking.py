"""Readable errors where the sandbox refuses the network. A courtesy, not a border."""

from __future__ import annotations

import functools
import socket
from typing import Any

MESSAGE = "Network access is disabled"


def explain_refusals() -> None:
    """Let a refused socket or name look-up say why it was refused."""
    original_init = socket.socket.__init__
    original_look_up = socket.getaddrinfo

    @functools.wraps(original_init)
    def init(self: socket.socket, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        try:
            original_init(self, *args, **kwargs)
        except PermissionError as error:
            raise PermissionError(error.errno, MESSAGE) from None

    @functools.wraps(original_look_up)
    def look_up(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        try:
            return original_look_up(*args, **kwargs)
        except socket.gaierror as error:
            raise socket.gaierror(error.errno, MESSAGE) from None

    socket.socket.__init__ = init  # type: ignore[method-assign]
    socket.getaddrinfo = look_up
