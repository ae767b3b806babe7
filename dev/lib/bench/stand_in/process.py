"""Starts the process of the stand-in node, links it to a dev/cluster, and removes it again."""

from __future__ import annotations

import contextlib
import os
import subprocess
import urllib.parse
from pathlib import Path
from typing import Self

from bench import cpu
from bench.fresh_process import environment
from bench.kubernetes import ApiError, Kubernetes
from bench.stand_in import objects
from cluster import processes, settings
from cluster.commands import run, succeeds
from cluster.waiting import wait_for

# Beside the ranges of dev/cluster: see docs/dev-cluster.md.
ADDRESS = "198.19.254.2"
NETWORK = "198.19.128.0/18"
_NODE_LINK = "standin0"
_LINK = "eth0"
_PATH = f"/api/v1/nodes/{objects.NODE}"
_LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{objects.NODE}"
_PODS = "/api/v1/pods?fieldSelector=" + urllib.parse.quote(f"spec.nodeName={objects.NODE}")
_SECONDS = 60.0


class StandInNode:
    """The node and its process, while it is entered.

    Args:
        kubernetes: the API server.
        kubectl: the program.
        kubeconfig: of an administrator.
        context: name of the dev/cluster.
        log: file of what the process says, with the logs of all supervisors.
    """

    def __init__(
        self, kubernetes: Kubernetes, kubectl: Path, kubeconfig: Path, context: str, log: Path
    ) -> None:
        self._kubernetes = kubernetes
        self._command: list[str | Path] = [
            kubectl.resolve(),
            kubeconfig.resolve(),
            ADDRESS,
            NETWORK,
        ]
        self._paths = settings.Paths(context)
        self._log = log
        self._process: subprocess.Popen[str] | None = None

    def cpu_seconds(self) -> float:
        """CPU time of the process so far."""
        assert self._process is not None
        return cpu.own_seconds(cpu.process_stat(self._process.pid))

    def __enter__(self) -> Self:
        # One whose process was killed may still be there.
        self._unregister()
        self._log.parent.mkdir(parents=True, exist_ok=True)
        sources = (
            settings.REPOSITORY / "dev" / "lib",
            settings.REPOSITORY / "images" / "runner" / "src",
        )
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                ["unshare", "--net", environment(), "-m", "bench.stand_in", *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # Ctrl-C is for this process, which removes the Pods while somebody ends them.
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))},
            )
        try:
            self._begin(self._process)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _begin(self, process: subprocess.Popen[str]) -> None:
        own = os.readlink("/proc/self/ns/net")
        wait_for(
            "the network namespace of the stand-in node",
            lambda: os.readlink(f"/proc/{process.pid}/ns/net") != own,
            seconds=_SECONDS,
        )
        self._link(process.pid)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("begin\n")
        process.stdin.flush()
        if not process.stdout.readline():
            raise RuntimeError(f"the stand-in node has ended: see {self._log}")

    def _link(self, pid: int) -> None:
        """One host route for all Pods, whose addresses are all local there.

        A table of neighbours has less room than there are Pods.
        """
        keeper = processes.alive(self._paths, processes.KEEPER)
        if keeper is None:
            raise RuntimeError("this measures a dev/cluster on its machine")
        node, pods = _inside(keeper.pid), _inside(pid)
        succeeds([*node, "ip", "link", "delete", "dev", _NODE_LINK])
        peer = ["peer", "name", _LINK, "netns", str(pid)]
        run([*node, "ip", "link", "add", _NODE_LINK, "type", "veth", *peer])
        run([*pods, "ip", "link", "set", "lo", "up"])
        run([*pods, "ip", "address", "add", f"{ADDRESS}/32", "dev", _LINK])
        run([*pods, "ip", "link", "set", _LINK, "up"])
        run([*pods, "ip", "route", "add", "local", NETWORK, "dev", "lo"])
        # Not to Services, so that a Pod is refused a connection to the front end.
        for target in (f"{settings.NODE_IP}/32", settings.POD_CIDR):
            way = ["via", settings.NODE_IP, "dev", _LINK, "onlink"]
            run([*pods, "ip", "route", "add", target, *way])
        run([*node, "ip", "link", "set", _NODE_LINK, "up"])
        run([*node, "ip", "route", "replace", f"{ADDRESS}/32", "dev", _NODE_LINK])
        way = ["via", ADDRESS, "dev", _NODE_LINK, "onlink"]
        run([*node, "ip", "route", "replace", NETWORK, *way])

    def _end(self) -> None:
        """With its process, its namespace and its link go."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._unregister()

    def _unregister(self) -> None:
        """Remove the node and the Pods that nobody ends any more."""
        for pod in self._kubernetes.get(_PODS)["items"]:
            with contextlib.suppress(ApiError):
                self._kubernetes.delete(f"{objects.path(pod)}?gracePeriodSeconds=0")
        for path in (_PATH, _LEASE):
            with contextlib.suppress(ApiError):
                self._kubernetes.delete(path)


def _inside(pid: int) -> list[str]:
    return ["nsenter", "--target", str(pid), "--net"]
