"""A tool server that counts calls by their token, as MCP over streamable HTTP."""

from __future__ import annotations

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cluster.settings import HOST_LINK_IP
from e2e.commands import kubectl

COUNTER = "counter"
"""The name of the tool server."""
_TOOL = {
    "name": "count",
    "description": "Counts a token.",
    "inputSchema": {
        "type": "object",
        "properties": {"token": {"type": "string"}},
        "required": ["token"],
    },
}


class CountingServer:
    """Serves from `start` to `stop`, where Pods reach this machine.

    Attributes:
        counted: calls by token.
    """

    def __init__(self) -> None:
        counted: Counter[str] = Counter()
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if "id" not in body:
                    self._respond(202, b"")
                    return
                if body["method"] == "tools/call":
                    with lock:
                        counted[body["params"]["arguments"]["token"]] += 1
                result = _result(body["method"], body.get("params") or {})
                response = {"jsonrpc": "2.0", "id": body["id"], "result": result}
                self._respond(200, json.dumps(response).encode())

            def do_GET(self) -> None:
                self._respond(405, b"")

            def do_DELETE(self) -> None:
                self._respond(200, b"")

            def _respond(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                """Log nothing."""

        self.counted = counted
        self._server = ThreadingHTTPServer((HOST_LINK_IP, 0), Handler)
        self.url = f"http://{HOST_LINK_IP}:{self._server.server_port}/mcp"

    def start(self) -> None:
        """Serve, on a thread."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()


def _result(method: str, params: dict[str, Any]) -> dict[str, object]:
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "counter", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [_TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "counted"}]}
    return {}


def offer(namespace: str, url: str) -> None:
    """Offers the tool of a server to the runs of a namespace, and waits until it is known."""
    server = {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "ToolServer",
        "metadata": {"name": COUNTER, "namespace": namespace},
        "spec": {"url": url},
    }
    kubectl("apply", "-f", "-", stdin=json.dumps(server))
    kubectl(
        *("-n", namespace, "wait", "--timeout=120s", "--for=condition=Connected"),
        f"toolserver/{COUNTER}",
    )
