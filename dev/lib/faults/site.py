"""What a fault meets: an installation, and runs in it."""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.parse
from collections.abc import Mapping
from typing import Any

from cluster.settings import DEFAULT_CONTEXT, REPOSITORY, Paths
from e2e import rest, settings
from e2e.commands import kubectl
from e2e.installation import Installed
from soak.callers import FINAL, Caller, Client

DEV_CLUSTER = REPOSITORY / "dev" / "cluster"
# A node's grace, the toleration of its Pods, and what is asked of Assay after that.
_PATIENCE_SECONDS = 300


class FaultTestError(Exception):
    """A fault could not be tried."""


def read(name: str, *, namespace: str = "") -> dict[str, Any]:
    """An object of the API server, or a list of objects."""
    where = ("-n", namespace) if namespace else ()
    return dict(json.loads(kubectl(*where, "get", name, "-o", "json")))


class Site:
    """An installation on the development cluster.

    Attributes:
        paths: the files of the cluster's first node.
        installed: how to reach the installation.
    """

    def __init__(self, installed: Installed) -> None:
        self.paths = Paths(DEFAULT_CONTEXT)
        self.installed = installed
        self._address = urllib.parse.urlsplit(installed.endpoint).netloc
        self._caller = Caller(settings.CALLERS[0], settings.RUN_NAMESPACE, installed.key)
        self._client = Client(self._address, self._caller)

    def start(self, **body: object) -> str:
        """Make a run of these fields of POST /runs, and return its name at once."""
        made = self._client.json("POST", "/runs", body, key=secrets.token_hex(8), within=60)
        return str(made["name"])

    def ended(self, run: str, within: float = _PATIENCE_SECONDS) -> Mapping[str, Any]:
        """The document of a run that has ended.

        Raises:
            FaultTestError: if it has not in time.
        """
        end = time.monotonic() + within
        while (document := self.document(run))["phase"] not in FINAL:
            if time.monotonic() > end:
                raise FaultTestError(f"{run} is {document['phase']} after {within:.0f} s")
            time.sleep(0.5)
        return document

    def document(self, run: str) -> Mapping[str, Any]:
        """What REST says of a run; what is not known yet is left out."""
        return self._client.json("GET", f"/runs/{run}", within=90)

    def output(self, run: str) -> str:
        """What a run has printed, as far as it is stored."""
        return self._client.text("GET", f"/runs/{run}/output", within=90)

    def pod(self, run: str) -> Mapping[str, Any]:
        """The Pod that runs a run's code."""
        bound = read(f"analyticsrun/{run}", namespace=settings.RUN_NAMESPACE)["status"]["pod"]
        return read(f"pod/{bound['name']}", namespace=settings.RUN_NAMESPACE)

    def refusal(self) -> str:
        """What a request got that is made once; empty if it was served."""
        try:
            status, text = rest.request(
                self._address, self._caller.key, "GET", "/runs?limit=1", seconds=10
            )
        except (OSError, http.client.HTTPException) as failure:
            return f"{type(failure).__name__}: {failure}"
        return "" if status < http.client.MULTIPLE_CHOICES else f"{status} {text[:100]}"

    def pods(self) -> list[str]:
        """The Pods that are there."""
        return kubectl("-n", settings.RUN_NAMESPACE, "get", "pods", "-o", "name").split()
