"""A small client of the API server: HTTPS with the administrator's certificate."""

from __future__ import annotations

import http.client
import json
import ssl
from typing import Any

from cluster import settings
from cluster.certificates import ADMIN, authority, certificate, key
from cluster.settings import Paths


class ApiError(Exception):
    """The API server returned a status of 300 or more."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text[:300]}")
        self.status = status


class Api:
    """Requests to one cluster; connects directly and ignores proxies of the environment."""

    def __init__(self, paths: Paths) -> None:
        self._tls = ssl.create_default_context(cafile=str(authority(paths)))
        self._tls.load_cert_chain(certificate(paths, ADMIN), key(paths, ADMIN))

    def request(
        self, method: str, path: str, body: object = None, content: str = "application/json"
    ) -> str:
        """Sends one request and returns the response text; raises ApiError or OSError."""
        connection = http.client.HTTPSConnection(
            settings.NODE_IP, settings.API_PORT, context=self._tls, timeout=10
        )
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": content})
            answer = connection.getresponse()
            text = answer.read().decode()
        except http.client.HTTPException as failure:
            raise OSError(str(failure)) from failure
        finally:
            connection.close()
        if answer.status >= 300:
            raise ApiError(answer.status, text)
        return text

    def get(self, path: str) -> Any:
        """The parsed object at `path`."""
        return json.loads(self.request("GET", path))

    def find(self, path: str) -> Any:
        """The parsed object at `path`, or None if there is none."""
        try:
            return self.get(path)
        except ApiError as failure:
            if failure.status == 404:
                return None
            raise

    def apply(self, path: str, body: object) -> None:
        """Creates or changes the object at `path` (server-side apply)."""
        query = "?fieldManager=assay-dev&force=true"
        self.request("PATCH", path + query, body, "application/apply-patch+yaml")

    def is_ready(self) -> bool:
        """Whether the API server passes its own readiness checks."""
        try:
            return self.request("GET", "/readyz") == "ok"
        except (OSError, ApiError):
            return False
