"""Installs agent-sandbox from its own manifests, for the time of a measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.kubernetes import ApiError, Kubernetes, Object
from bench.warm.agent_sandbox.sandboxes import EXTENSIONS
from cluster.commands import run
from cluster.waiting import wait_for

_SECONDS = 120.0


class Installation:
    """What installs it.

    Args:
        kubernetes: the API server.
        kubectl: the program, which reads the manifests.
        kubeconfig: that of the same API server.
        manifests: a file, or a folder of files; the node has the images that they name.
    """

    def __init__(
        self, kubernetes: Kubernetes, kubectl: Path, kubeconfig: Path, manifests: Path
    ) -> None:
        self._kubernetes = kubernetes
        self._command: list[str | Path] = [kubectl, "--kubeconfig", kubeconfig]
        self._manifests = manifests

    @contextmanager
    def installed(self) -> Iterator[Mapping[str, str]]:
        """Install it, and remove it at the end; yields its images and arguments.

        Raises:
            SystemExit: if it is installed already, because what somebody else has installed is
                neither measured nor removed.
        """
        if self._is_served():
            raise SystemExit(
                "dev/bench warm: agent-sandbox is installed already; remove it, since"
                " --agent-sandbox installs what it measures and removes it at the end"
            )
        try:
            self._kubectl("apply", "--server-side")
            wait_for("the API of agent-sandbox", self._is_served, seconds=_SECONDS)
            yield conditions(json.loads(self._kubectl("get", "--output=json"))["items"])
        finally:
            self._kubectl("delete", "--ignore-not-found")

    def _is_served(self) -> bool:
        try:
            self._kubernetes.get(f"/apis/{EXTENSIONS}")
        except ApiError:
            return False
        return True

    def _kubectl(self, *arguments: str) -> str:
        return run([*self._command, *arguments, "--filename", self._manifests])


def conditions(items: list[Object]) -> dict[str, str]:
    """The image and the arguments of each container of the Deployments among these objects."""
    return {
        f"agent-sandbox, {container['name']}": " ".join(
            [container["image"], *container.get("args", [])]
        )
        for item in items
        if item["kind"] == "Deployment"
        for container in item["spec"]["template"]["spec"]["containers"]
    }
