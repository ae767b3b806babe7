"""A request to /api/v1, on a connection of its own."""

from __future__ import annotations

import http.client
import json


def request(
    address: str,
    key: str,
    method: str,
    path: str,
    body: object = None,
    *,
    idempotency_key: str = "",
    seconds: float,
) -> tuple[int, str]:
    """Sends a request once and returns the status and the body of the response.

    Args:
        address: host and port.
        key: the API key.
        path: below /api/v1.
        body: is sent as JSON; None for no body.
        seconds: how long each read may take.

    Raises:
        OSError: if the connection fails or nothing comes in time.
        http.client.HTTPException: if the response is not HTTP.
    """
    headers = {"Authorization": f"Bearer {key}"}
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    content = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(body)
    connection = http.client.HTTPConnection(address, timeout=seconds)
    try:
        connection.request(method, f"/api/v1{path}", content, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()
