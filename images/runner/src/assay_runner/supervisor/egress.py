"""Tries to open a connection, which the NetworkPolicy of this Pod is to refuse."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

ATTEMPTS = 2
"""A lost packet must not look like a policy that drops packets."""

ATTEMPT_SECONDS = 0.25
"""Many times what a connection inside a cluster takes; a run may wait for all attempts."""

_REFUSALS = (
    errno.ECONNREFUSED,
    errno.ECONNRESET,
    errno.EHOSTUNREACH,
    errno.ENETUNREACH,
    errno.EACCES,
    errno.EPERM,
)


class EgressAddress(NamedTuple):
    """Where to connect to.

    Attributes:
        host: an IP address: the Pod has no DNS.
        port: the TCP port.
    """

    host: str
    port: int

    @staticmethod
    def parse(text: str) -> EgressAddress:
        """Read `HOST:PORT`, as in `192.0.2.1:80` or `[2001:db8::1]:80`.

        Raises:
            ValueError: if it is something else.
        """
        host, _, port = text.rpartition(":")
        if not (port.isascii() and port.isdecimal() and len(port) <= 5 and 0 < int(port) < 2**16):
            raise ValueError("not a port")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        address = EgressAddress(host, int(port))
        try:
            socket.inet_pton(address.family, host)
        except OSError:
            raise ValueError("not an IP address") from None
        return address

    @property
    def family(self) -> socket.AddressFamily:
        """The family of the host."""
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET


class Egress(StrEnum):
    """What became of an attempt."""

    REFUSED = "refused"
    CONNECTED = "connected"
    UNKNOWN = "unknown"


async def dial(address: EgressAddress, permitted: Callable[[], bool]) -> Egress:
    """Try to connect, for at most `ATTEMPTS` times `ATTEMPT_SECONDS`, and send nothing.

    No answer in that time is a refusal: many policies drop packets. `UNKNOWN` is for failures that
    say nothing about the network, such as a lack of descriptors.

    Args:
        address: to connect to.
        permitted: whether an attempt may begin; `UNKNOWN` if one may not.
    """
    for _ in range(ATTEMPTS):
        if not permitted():
            return Egress.UNKNOWN
        outcome = await _attempt(address)
        if outcome is not None:
            return outcome
    return Egress.REFUSED


async def _attempt(address: EgressAddress) -> Egress | None:
    """Try to connect once; None if there was no answer."""
    try:
        with socket.socket(address.family, socket.SOCK_STREAM) as connection:
            connection.setblocking(False)
            try:
                async with asyncio.timeout(ATTEMPT_SECONDS):
                    await asyncio.get_running_loop().sock_connect(connection, address)
            except TimeoutError:
                # A process that gets no CPU may see the end of the time before the answer.
                return Egress.CONNECTED if _is_connected(connection) else None
            return Egress.CONNECTED
    except OSError as problem:
        return Egress.REFUSED if problem.errno in _REFUSALS else Egress.UNKNOWN


def _is_connected(connection: socket.socket) -> bool:
    try:
        connection.getpeername()
    except OSError:
        return False
    return True
