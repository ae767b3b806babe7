"""The part of the Kubernetes API that the measurements need, without a process per request."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

Object = dict[str, Any]

_SECONDS = 30.0
# The API server closes a connection on which no first request comes within 32 s, or that is idle
# for 90 s.
_MAX_IDLE_SECONDS = 25.0
_JSON = "application/json"
_MERGE_PATCH = "application/merge-patch+json"


class ApiError(Exception):
    """The API server rejected a request; the text contains its message."""


class Kubernetes:
    """One API server, with the client certificate of a kubeconfig, or its token in local mode."""

    def __init__(self, kubectl: Path, kubeconfig: Path) -> None:
        config = json.loads(
            subprocess.run(
                [kubectl, "--kubeconfig", kubeconfig, "config", "view", "--raw", "-o", "json"],
                check=True,
                capture_output=True,
            ).stdout
        )
        cluster = config["clusters"][0]["cluster"]
        user = config["users"][0]["user"]
        server = urllib.parse.urlsplit(cluster["server"])
        self._host = server.hostname or ""
        self._port = server.port or 443
        self._tls = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode()
        )
        self._headers = {"Content-Type": _JSON}
        if "token" in user:
            self._headers["Authorization"] = f"Bearer {user['token']}"
        else:
            with tempfile.NamedTemporaryFile() as pair:
                pair.write(base64.b64decode(user["client-certificate-data"]) + b"\n")
                pair.write(base64.b64decode(user["client-key-data"]))
                pair.flush()
                self._tls.load_cert_chain(pair.name)

    def get(self, path: str) -> Object:
        return self._request("GET", path)

    def text(self, path: str) -> str:
        """Return an answer that is not JSON, such as the API server's metrics."""
        return self._open("GET", path, None, _SECONDS).read().decode()

    def create(self, path: str, item: Object) -> Object:
        return self._request("POST", path, item)

    def merge(self, path: str, changes: Object, kind: str = "merge") -> Object:
        """Change members of an object, by a patch of a kind: `merge` or `strategic-merge`."""
        content_type = f"application/{kind}-patch+json"
        return self._request("PATCH", path, changes, content_type)

    def delete(self, path: str) -> None:
        self._request("DELETE", path)

    def wait(self, path: str, name: str, until: Callable[[Object], bool], timeout: float) -> Object:
        """Watch an object until it matches; changes must be at most `timeout` seconds apart.

        Raises:
            RuntimeError: if the API server ends the watch before.
        """
        for _, item in self.watch(path, "0", timeout, fieldSelector=f"metadata.name={name}"):
            if until(item):
                return item
        raise RuntimeError(f"the watch of {path}/{name} ended early")

    def watch(
        self, path: str, version: str, timeout: float, **query: str
    ) -> Iterator[tuple[str, Object]]:
        """Yield the type and the object of each event after a resourceVersion."""
        parameters = urllib.parse.urlencode({"watch": "true", "resourceVersion": version, **query})
        response = self._open("GET", f"{path}?{parameters}", None, timeout)
        while line := response.readline():
            event: Object = json.loads(line)
            yield event["type"], event["object"]

    def follow(
        self, path: str, version: str, timeout: float, **query: str
    ) -> Iterator[tuple[str, Object]]:
        """Yield events as `watch` does, and after its end go on from the last of them.

        The API server ends the watch of a reader that is too slow for it.

        Raises:
            ApiError: if it does not have the events after that any more.
        """
        while True:
            for event, item in self.watch(path, version, timeout, **query):
                if event == "ERROR":
                    raise ApiError(f"watch of {path}: {item}")
                version = item["metadata"]["resourceVersion"]
                yield event, item

    def connect(self) -> Connection:
        """Open a connection for requests one after the other."""
        return Connection(partial(self._connected, _SECONDS), self._headers)

    def first_line(self, path: str, timeout: float) -> bytes:
        """Return the first line of a stream that the API server relays, such as a Pod's log."""
        return self._open("GET", path, None, timeout).readline()

    def _request(
        self, method: str, path: str, body: Object | None = None, content_type: str = _JSON
    ) -> Object:
        answer: Object = json.load(self._open(method, path, body, _SECONDS, content_type))
        return answer

    def _open(
        self,
        method: str,
        path: str,
        body: Object | None,
        timeout: float,
        content_type: str = _JSON,
    ) -> http.client.HTTPResponse:
        connection = self._connected(timeout)
        connection.request(
            method,
            path,
            None if body is None else json.dumps(body),
            {**self._headers, "Content-Type": content_type},
        )
        return _accepted(connection, f"{method} {path}")

    def _connected(self, timeout: float) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._tls
        )
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


class Connection:
    """A connection that stays open, so that a request costs no handshake.

    Whoever sends may do something else before the answer is received.
    """

    def __init__(
        self, connect: Callable[[], http.client.HTTPSConnection], headers: Mapping[str, str]
    ) -> None:
        self._connect = connect
        self._headers = headers
        self._connection = connect()
        self._used = time.monotonic()
        self._sent = ""

    @property
    def is_waiting(self) -> bool:
        """Whether an answer has not been received yet."""
        return bool(self._sent)

    def keep_open(self) -> None:
        """Open it anew if it was idle for so long that the server may close it."""
        if time.monotonic() - self._used > _MAX_IDLE_SECONDS:
            self._connection.close()
            self._connection = self._connect()
            self._used = time.monotonic()

    def send(self, method: str, path: str, body: Object) -> None:
        """Send a request; the answer to the one before must have been received."""
        self._used = time.monotonic()
        headers = {**self._headers, "Content-Type": _MERGE_PATCH if method == "PATCH" else _JSON}
        self._connection.request(method, path, json.dumps(body), headers)
        self._sent = f"{method} {path}"

    def receive(self) -> Object:
        """Receive the answer to the request; raises ApiError."""
        sent, self._sent = self._sent, ""
        answer: Object = json.load(_accepted(self._connection, sent))
        return answer


def _accepted(connection: http.client.HTTPSConnection, request: str) -> http.client.HTTPResponse:
    response = connection.getresponse()
    if response.status >= http.client.BAD_REQUEST:
        # What is not read would be in the way of the next request on the connection.
        raise ApiError(f"{request}: {response.status} {response.read()[:500]!r}")
    return response


def follow_new(
    kubernetes: Kubernetes, path: str, timeout: float, **query: str
) -> Iterator[tuple[str, Object]]:
    """Yield the events of a collection that come after this call, beyond the end of a watch."""
    version = kubernetes.get(f"{path}?limit=1")["metadata"]["resourceVersion"]
    return kubernetes.follow(path, version, timeout, timeoutSeconds=str(round(timeout)), **query)


def count_until(
    kubernetes: Kubernetes,
    path: str,
    selector: str,
    size: int,
    counts: Callable[[Object], bool],
    seconds: float,
) -> int:
    """Watch objects until so many of them count at the same time.

    Returns:
        How many do; fewer than `size` if that takes longer.
    """
    found: set[str] = set()
    deadline = time.monotonic() + seconds
    for event, item in kubernetes.watch(path, "0", seconds, labelSelector=selector):
        name = item["metadata"]["name"]
        found.discard(name)
        if event != "DELETED" and counts(item):
            found.add(name)
        if len(found) >= size or time.monotonic() > deadline:
            break
    return len(found)
