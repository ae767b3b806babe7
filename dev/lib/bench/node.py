"""CPU time of a dev/cluster on this machine, by component."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench import cpu
from bench.kubernetes import Kubernetes
from bench.memory import resident_bytes
from bench.subjects import pods_path
from cluster import containerd, control_plane, etcd, kube_proxy, kubelet, network_policy, processes
from cluster.settings import SYSTEM_NAMESPACE, Paths

_SHIM = "containerd-shim"
_MIB = 1024 * 1024


class Component(enum.Enum):
    """What CPU time is counted for; PODS are those that are created and end while it counts."""

    KUBELET = "kubelet"
    RUNTIME = "containerd, shims, runc"
    API_SERVER = "API server, etcd"
    CONTROLLERS = "scheduler, controller manager"
    NETWORK = "kube-proxy, kube-router"
    OPERATOR = "operator"
    FRONT_END = "front end"
    PODS = "Pods"


_PROCESSES = {
    Component.KUBELET: (kubelet.NAME,),
    Component.API_SERVER: (control_plane.API_SERVER, etcd.NAME),
    Component.CONTROLLERS: (control_plane.SCHEDULER, control_plane.CONTROLLER_MANAGER),
    Component.NETWORK: (kube_proxy.NAME, network_policy.NAME),
}

Usage = Mapping[Component, float]


def lasting_pods(kubernetes: Kubernetes) -> Mapping[Component, list[str]]:
    """UIDs of the Pods of operator and front end, those that are being deleted left out."""
    components = {"operator": Component.OPERATOR, "mcp-frontend": Component.FRONT_END}
    lasting: dict[Component, list[str]] = {component: [] for component in components.values()}
    for pod in kubernetes.get(pods_path(SYSTEM_NAMESPACE))["items"]:
        label = pod["metadata"].get("labels", {}).get("app.kubernetes.io/component")
        if label in components and "deletionTimestamp" not in pod["metadata"]:
            lasting[components[label]].append(pod["metadata"]["uid"])
    if not all(lasting.values()):
        raise RuntimeError(f"no operator or no front end in {SYSTEM_NAMESPACE}: install it first")
    return lasting


class Node:
    """The only node of a dev/cluster.

    Args:
        paths: the cluster's files.
        lasting: UIDs of Assay's own Pods, by component. They have to live on while it counts.
    """

    def __init__(self, paths: Paths, lasting: Mapping[Component, list[str]]) -> None:
        self._pids = {
            name: _pid(paths, name)
            for name in (
                processes.KEEPER,
                containerd.NAME,
                *(name for names in _PROCESSES.values() for name in names),
            )
        }
        self._pods = cpu.hierarchy() / paths.cgroup / "kubepods"
        self._lasting = {
            component: [group for uid in uids for group in self._pod_groups(uid)]
            for component, uids in lasting.items()
        }
        self._other_lasting = {
            group: 0.0
            for group in self._pod_groups("*")
            if not any(group in groups for groups in self._lasting.values())
        }

    def usage(self) -> Usage:
        """CPU seconds of each component; the differences between two calls are what counts."""
        used = {
            component: sum(self._seconds(name) for name in names)
            for component, names in _PROCESSES.items()
        }
        for component, groups in self._lasting.items():
            used[component] = _sum(groups)
        lasting = self._other_seconds() + sum(used[component] for component in self._lasting)
        used[Component.PODS] = cpu.group_seconds(self._pods) - lasting
        used[Component.RUNTIME] = self._runtime_seconds() - used[Component.PODS]
        return used

    def resident_mib(self) -> Mapping[Component, float]:
        """Memory of the processes of each component that is no Pod."""
        return {
            component: sum(self._resident_bytes(name) for name in names) / _MIB
            for component, names in _PROCESSES.items()
        }

    def shims(self) -> frozenset[int]:
        """PIDs of the shims, one for each Pod whose sandbox exists."""
        return cpu.children(self._pids[processes.KEEPER], _SHIM)

    def containers(self) -> Iterator[tuple[str, Path]]:
        """ID and cgroup of each container in Pods that were created after this object."""
        lasting = {*self._other_lasting, *(g for groups in self._lasting.values() for g in groups)}
        for pod in self._pod_groups("*"):
            if pod not in lasting:
                for group in pod.glob("*/"):
                    yield group.name, group

    def _other_seconds(self) -> float:
        """Of Pods that were there before; of one that is gone what it had used when last read."""
        for group in self._other_lasting:
            with contextlib.suppress(cpu.GoneError):
                self._other_lasting[group] = cpu.group_seconds(group)
        return sum(self._other_lasting.values())

    def _pod_groups(self, uid: str) -> list[Path]:
        # Those of guaranteed quality of service have no level of their own.
        return [*self._pods.glob(f"pod{uid}/"), *self._pods.glob(f"*/pod{uid}/")]

    def _runtime_seconds(self) -> float:
        """With containers that have ended: a shim waits for them, and the keeper for the shim."""
        shims = sum(_seconds_or_zero(pid) for pid in self.shims())
        return self._seconds(containerd.NAME) + self._seconds(processes.KEEPER) + shims

    def _resident_bytes(self, name: str) -> int:
        return resident_bytes(cpu.text_of(Path(f"/proc/{self._pids[name]}/status")))

    def _seconds(self, name: str) -> float:
        return cpu.seconds_with_children(cpu.process_stat(self._pids[name]))


def _sum(groups: list[Path]) -> float:
    return sum(cpu.group_seconds(group) for group in groups)


def _seconds_or_zero(pid: int) -> float:
    try:
        return cpu.seconds_with_children(cpu.process_stat(pid))
    except cpu.GoneError:
        return 0.0


def _pid(paths: Paths, name: str) -> int:
    record = processes.alive(paths, name)
    if record is None:
        raise RuntimeError(f"{name} does not run here: this measures a dev/cluster on its machine")
    return record.pid
