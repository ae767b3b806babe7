"""A program that answers every TCP connection and every UDP packet on its ports with one line.

`python3 stand_in_server.py LINE ADDRESS tcp/PORT|udp/PORT...`; it runs by itself, without the rest
of this package.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import sys

_KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}


def listen(address: str, port: str) -> socket.socket:
    """Opens a port given as tcp/NUMBER or udp/NUMBER."""
    kind, _, number = port.partition("/")
    opened = socket.socket(socket.AF_INET, _KINDS[kind])
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.bind((address, int(number)))
    if kind == "tcp":
        opened.listen()
    return opened


def answer(opened: socket.socket, line: bytes) -> None:
    """Answers one connection or one packet; a peer that has disconnected is not an error."""
    with contextlib.suppress(OSError):
        if opened.type == socket.SOCK_STREAM:
            connection, _ = opened.accept()
            with connection:
                connection.settimeout(1)
                connection.sendall(line)
        else:
            _, sender = opened.recvfrom(2048)
            opened.sendto(line, sender)


def main() -> None:
    """Answers until it is killed."""
    line, address, *ports = sys.argv[1:]
    with selectors.DefaultSelector() as selector:
        for port in ports:
            selector.register(listen(address, port), selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                assert isinstance(key.fileobj, socket.socket)
                answer(key.fileobj, f"{line}\n".encode())


if __name__ == "__main__":
    main()
