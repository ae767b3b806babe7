"""What a fault meets: an installation, and runs in it."""

from __future__ import annotations

import json
import secrets
import time
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cluster.settings import DEFAULT_CONTEXT, Paths
from e2e import settings
from e2e.commands import kubectl
from e2e.installation import Installed
from soak.callers import FINAL, Caller, Client
from soak.counter import CountingServer

# A node's grace, the toleration of its Pods, and what is asked of Assay after that.
_PATIENCE_SECONDS = 300


class FaultTestError(Exception):
    """A fault could not be tried."""


@dataclass(frozen=True)
class Run:
    """A run that was made."""

    name: str
    uid: str


class Site:
    """An installation on the development cluster.

    Attributes:
        paths: the files of the cluster's first node.
        counter: a tool server that counts calls.
    """

    def __init__(self, installed: Installed, counter: CountingServer) -> None:
        self.paths = Paths(DEFAULT_CONTEXT)
        self.address = urllib.parse.urlsplit(installed.endpoint).netloc
        self.key = installed.key
        self.counter = counter
        self._client = Client(
            self.address, Caller(settings.CALLERS[0], settings.RUN_NAMESPACE, installed.key)
        )

    def start(self, **body: object) -> Run:
        """Make a run of these fields of POST /runs, and return at once."""
        made = self._client.json("POST", "/runs", body, key=secrets.token_hex(8), within=60)
        return Run(str(made["name"]), str(self.object(str(made["name"]))["metadata"]["uid"]))

    def ended(self, run: Run, within: float = _PATIENCE_SECONDS) -> Mapping[str, Any]:
        """The document of a run that has ended.

        Raises:
            FaultTestError: if it has not in time.
        """
        end = time.monotonic() + within
        while (document := self.document(run))["phase"] not in FINAL:
            if time.monotonic() > end:
                raise FaultTestError(f"{run.name} is {document['phase']} after {within:.0f} s")
            time.sleep(0.5)
        return document

    def document(self, run: Run) -> Mapping[str, Any]:
        """What REST says of a run; what is not known yet is left out."""
        return self._client.json("GET", f"/runs/{run.name}", within=90)

    def output(self, run: Run) -> str:
        """What a run has printed, as far as it is stored."""
        return self._client.text("GET", f"/runs/{run.name}/output", within=90)

    def object(self, name: str) -> Mapping[str, Any]:
        """The custom resource of a run."""
        found = kubectl("-n", settings.RUN_NAMESPACE, "get", f"analyticsrun/{name}", "-o", "json")
        return dict(json.loads(found))

    def pod(self, run: Run) -> Mapping[str, Any]:
        """The Pod that runs a run's code."""
        name = self.object(run.name)["status"]["pod"]["name"]
        found = kubectl("-n", settings.RUN_NAMESPACE, "get", f"pod/{name}", "-o", "json")
        return dict(json.loads(found))

    def pods(self) -> list[str]:
        """The Pods that are there."""
        return kubectl("-n", settings.RUN_NAMESPACE, "get", "pods", "-o", "name").split()


def wait_for(what: str, condition: Callable[[], bool], seconds: float = 60) -> None:
    """Return once a condition holds.

    Raises:
        FaultTestError: if it does not in time.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise FaultTestError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
