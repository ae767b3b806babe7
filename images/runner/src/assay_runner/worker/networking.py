"""Readable errors where the sandbox refuses the network. A courtesy, not a border."""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable
from typing import Any

MESSAGE = "Network access is disabled"
_FUNCTIONS = ("socketpair", "getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr")


def explain_refusals() -> None:
    """Let a refused socket or name look-up say why it was refused."""
    socket.socket.__init__ = _explained(socket.socket.__init__)  # type: ignore[method-assign]
    for name in _FUNCTIONS:
        setattr(socket, name, _explained(getattr(socket, name)))


def _explained(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the function has
        try:
            return function(*args, **kwargs)
        except (PermissionError, socket.gaierror, socket.herror) as error:
            raise type(error)(error.errno, MESSAGE) from None

    return call
