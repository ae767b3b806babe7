"""The ToolServer of a measurement."""

from __future__ import annotations

import contextlib
from typing import Self

from bench.kubernetes import ApiError, Kubernetes, Object
from cluster.waiting import wait_for

# By which scripts call its tools, in Assay and in the peer.
SERVER = "bench"
# `concurrentCalls` stays at its default, as in an installation: calls of a burst may have to wait.
_LIMITS = {"callTimeoutSeconds": 120}
_SECONDS = 120.0


class ToolServer:
    """One that is connected, while it is entered.

    Args:
        kubernetes: the API server.
        namespace: that of the runs.
        url: of the server.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, url: str) -> None:
        self._kubernetes = kubernetes
        self._path = f"/apis/assay.dev/v1alpha1/namespaces/{namespace}/toolservers"
        self._url = url

    def __enter__(self) -> Self:
        # One of a measurement that was killed.
        self._delete()
        self._kubernetes.create(self._path, item(self._url))
        try:
            self._kubernetes.wait(self._path, SERVER, _is_connected, _SECONDS)
        except TimeoutError:
            found = self._kubernetes.get(f"{self._path}/{SERVER}").get("status", {})
            self._delete()
            raise RuntimeError(
                f"the tool gateway does not connect to {self._url}:"
                f" {found.get('message', 'no status')}"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._delete()

    def _delete(self) -> None:
        with contextlib.suppress(ApiError):
            self._kubernetes.delete(f"{self._path}/{SERVER}")
        wait_for(f"the end of tool server {SERVER}", self._is_gone, seconds=_SECONDS)

    def _is_gone(self) -> bool:
        try:
            self._kubernetes.get(f"{self._path}/{SERVER}")
        except ApiError:
            return True
        return False


def item(url: str) -> Object:
    """The object."""
    return {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "ToolServer",
        "metadata": {"name": SERVER},
        "spec": {"url": url, "limits": _LIMITS},
    }


def _is_connected(server: Object) -> bool:
    return bool(server.get("status", {}).get("phase") == "Connected")
