"""A program that opens connections, sends half a request on each, and keeps them open.

Arguments are the number of connections and addresses, as HOST:PORT; those with a port of TLS send
half a request within TLS. At the port of metrics, a few connections more read nothing of what
they ask for, like a Prometheus that hangs. Prints for each address how many are open, in the order
of arguments, when all are. Ends with standard input. Runs in a network namespace of the cluster.
"""

import contextlib
import socket
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor

_HALF = b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{"
_TLS_PORTS = (8443,)
_METRICS_PORT = 8080
# More than the kernel keeps for both sides.
_METRICS = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" * 200
_LITTLE = 4096
_READERS = 10


def _open(host: str, port: int) -> socket.socket:
    connection = socket.create_connection((host, port), timeout=3)
    if port in _TLS_PORTS:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = context.wrap_socket(connection)
    connection.sendall(_HALF)
    return connection


def _ask_for_metrics(host: str, port: int) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _LITTLE)
    connection.settimeout(3)
    connection.connect((host, port))
    connection.sendall(_METRICS)
    return connection


def _all(host: str, port: int, count: int) -> list[socket.socket]:
    opened: list[socket.socket] = []
    with contextlib.suppress(OSError):
        while len(opened) < count:
            opened.append(_open(host, port))
    if opened and port == _METRICS_PORT:
        opened += [_ask_for_metrics(host, port) for _ in range(_READERS)]
    return opened


def main(count: int, addresses: list[str]) -> None:
    """Opens them, at all addresses at once, and ends with standard input."""

    def to(address: str) -> list[socket.socket]:
        host, _, port = address.rpartition(":")
        return _all(host, int(port), count)

    with ThreadPoolExecutor(len(addresses)) as threads:
        opened = list(threads.map(to, addresses))
    print(*map(len, opened), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
