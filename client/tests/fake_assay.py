"""A stand-in for an endpoint of Assay, in this process."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Json = dict[str, Any]
#: Waits that end long before this mean that all is well.
SECONDS = 20


class Request:
    """A request that has arrived."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        self.method = handler.command
        self.path = unquote(parts.path)
        self.query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.headers = handler.headers
        self.body = b""
        self.handler = handler

    @property
    def json(self) -> Json:
        return json.loads(self.body)

    def answer(self, status: int, body: object = None, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.handler.send_response(status)
        headers.setdefault("Content-Type", "application/json")
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.send_header("Content-Length", str(len(data)))
        self.handler.end_headers()
        self.handler.wfile.write(data)

    def begin_stream(self, content_type: str = "text/event-stream") -> None:
        """A response that ends with its connection."""
        self.handler.send_response(200)
        self.handler.send_header("Content-Type", content_type)
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()

    def event(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        self.handler.wfile.write(f"event: message\ndata: {text}\n\n".encode())
        self.handler.wfile.flush()

    def refuse(self, status: int, message: str, **headers: str) -> None:
        self.answer(status, {"error": {"code": status, "message": message}}, **headers)

    def read_body(self) -> bytes:
        self.body = self.handler.rfile.read(int(self.headers.get("Content-Length", 0)))
        return self.body

    def disconnect(self) -> None:
        self.handler.close_connection = True
        self.handler.connection.close()


class FakeAssay:
    """Datasets as Assay has them; what else is asked for, tests answer themselves."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.datasets: dict[str, Json] = {}
        self.uploads: list[tuple[str, bytes]] = []
        #: By method and beginning of the path; the first that fits answers.
        self.routes: list[tuple[str, str, Callable[[Request], None]]] = []
        #: Gets a request to upload, before its body is asked for; returns whether it has answered.
        self.before_upload: Callable[[Request], bool] = lambda request: False
        self.fails_to_load = ""
        self._created = 0
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

            def handle_expect_100(self) -> bool:
                return True  # Each handler asks for the body itself.

            def answer(self) -> None:
                self.close_connection = True
                try:
                    fake.take(Request(self))
                except (BrokenPipeError, ConnectionResetError, ValueError):
                    pass  # The client has disconnected, or the test.

            do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def stop(self) -> None:
        """Nothing answers at the address any more."""
        self.server.shutdown()
        self.server.server_close()

    def on(self, method: str, path: str, answer: Callable[[Request], None]) -> None:
        self.routes.append((method, path, answer))

    def paths(self, method: str) -> list[str]:
        return [request.path for request in self.requests if request.method == method]

    def take(self, request: Request) -> None:
        self.requests.append(request)
        if request.method == "PUT" and request.path.startswith("/api/v1/datasets/"):
            self._upload(request)
            return
        request.read_body()
        for method, path, answer in self.routes:
            if method == request.method and request.path.startswith(path):
                answer(request)
                return
        name = request.path.removeprefix("/api/v1/datasets/")
        if request.path == "/api/v1/datasets":
            request.answer(200, {"items": list(self.datasets.values())})
        elif request.method == "GET" and name.lower() in self.datasets:
            request.answer(200, self.datasets[name.lower()])
        else:
            request.refuse(404, f"There is no {request.path}")

    def _upload(self, request: Request) -> None:
        if self.before_upload(request):
            return
        name = request.path.removeprefix("/api/v1/datasets/")
        if name.lower() in self.datasets and request.query["replace"] != "true":
            request.refuse(409, f"There is a dataset '{name}' already")
            return
        request.handler.send_response_only(100)
        request.handler.end_headers()
        body = request.read_body()
        if len(body) < int(request.headers["Content-Length"]):
            return
        self.uploads.append((name, body))
        request.answer(201, self.put(name, body))

    def put(self, name: str, body: bytes) -> Json:
        """Has a dataset of these bytes, as if they had been uploaded."""
        old = self.datasets.get(name.lower(), {})
        self._created += 1
        found = {
            "name": name,
            "resourceName": name.lower(),
            "phase": "Failed" if self.fails_to_load else "Ready",
            "format": "csv",
            "createdAt": old.get("createdAt", f"2026-01-01T00:00:{self._created:02d}Z"),
        }
        if self.fails_to_load:
            found["message"] = self.fails_to_load
        else:
            found.update(rows=1, columnCount=2, digest=hashlib.sha256(body).hexdigest())
        self.datasets[name.lower()] = found
        return found


@contextmanager
def serving() -> Iterator[FakeAssay]:
    fake = FakeAssay()
    # Ends as soon as it is asked to.
    thread = threading.Thread(target=fake.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.stop()
        thread.join()
