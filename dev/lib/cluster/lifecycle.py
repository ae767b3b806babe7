"""up, down and status."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cluster import (
    certificates,
    cgroups,
    containerd,
    control_plane,
    dns,
    etcd,
    gvisor,
    kernel_settings,
    kube_proxy,
    kubelet,
    network,
    network_policy,
    node,
    processes,
    second_node,
    settings,
    stand_ins,
    storage,
)
from cluster.api import Api, ApiError
from cluster.binaries import ALL_BUILDS, GVISOR, HELM, KUBERNETES, ensure_binaries
from cluster.commands import succeeds
from cluster.errors import ClusterError
from cluster.keeper import ensure_keeper, remove_mount_points, stop_keeper
from cluster.kubeconfig import write_admin_kubeconfigs
from cluster.packages import ensure_packages
from cluster.processes import KEEPER
from cluster.progress import step
from cluster.settings import Paths
from cluster.waiting import wait_for

COMPONENTS = (
    KEEPER,
    etcd.NAME,
    containerd.NAME,
    control_plane.API_SERVER,
    control_plane.CONTROLLER_MANAGER,
    control_plane.SCHEDULER,
    kubelet.NAME,
    kube_proxy.NAME,
    network_policy.NAME,
    *(stand_in.name for stand_in in stand_ins.ALL),
)


class _StoreDamagedError(Exception):
    """The API server does not start with the data of an earlier run."""


@contextmanager
def _locked(paths: Paths) -> Iterator[None]:
    """Serializes commands on one cluster, from any folder."""
    if os.geteuid() != 0:
        raise ClusterError("run as root: a cluster needs namespaces, mounts and firewall rules")
    settings.STATE_ROOT.mkdir(parents=True, exist_ok=True)
    with paths.lock.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _origin(paths: Paths) -> Path | None:
    try:
        return Path(json.loads(paths.origin.read_text())["folder"])
    except (FileNotFoundError, ValueError, KeyError):
        return None


def _other_live_cluster(paths: Paths) -> Paths | None:
    for state in settings.STATE_ROOT.iterdir():
        if state.is_dir() and state.name != paths.context:
            other = Paths(state.name)
            if processes.alive(other, KEEPER):
                return other
    return None


def _refuse_second_cluster(paths: Paths) -> None:
    other = _other_live_cluster(paths)
    if other:
        raise ClusterError(
            f"cluster {other.context!r} is up and uses the same addresses; "
            f"stop it first: dev/cluster down --context {other.context}"
        )


def _prepare(paths: Paths) -> None:
    """Namespaces, certificates and the link to the host."""
    keeper, new = ensure_keeper(paths)
    if new:
        # Groups of an earlier run, whose processes have ended.
        cgroups.remove_parent(paths)
        paths.origin.write_text(json.dumps({"folder": str(settings.REPOSITORY)}))
        step("namespaces created")
    network.ensure_host_link(keeper)
    stand_ins.ensure_running(paths, keeper)
    network.write_cni_configuration(paths)
    if certificates.ensure_certificates(paths):
        step("certificates issued")
    write_admin_kubeconfigs(paths)


def _start_store_and_runtime(paths: Paths, *, fsync: bool) -> None:
    had_data = paths.etcd_data.exists()
    started = etcd.ensure_running(paths, fsync=fsync)
    containerd.ensure_running(paths)
    control_plane.ensure_api_server(paths)
    containerd.wait_until_ready(paths)
    containerd.ensure_cluster_images(paths)
    api = Api(paths)

    def still_possible() -> bool:
        if processes.alive(paths, etcd.NAME) is None:
            return False
        # The API server exits if etcd is not available within about 20 seconds.
        control_plane.ensure_api_server(paths)
        return True

    try:
        wait_for(
            "API server ready",
            api.is_ready,
            seconds=60,
            still_possible=still_possible,
            hint=str(processes.log_file(paths, control_plane.API_SERVER)),
        )
    except ClusterError as failure:
        if had_data and started:
            raise _StoreDamagedError from failure
        raise


def _start_nodes_and_controllers(paths: Paths, api: Api) -> None:
    control_plane.ensure_controller_manager(paths)
    control_plane.ensure_scheduler(paths)
    network_policy.grant_access(api)
    renewed = storage.ensure_volumes(paths, api)
    if renewed:
        step(f"local volumes prepared: {len(renewed)}")
    dns.deploy(api)
    node.start(paths, api)


def _wait_for_services(api: Api) -> None:
    wait_for("DNS ready", lambda: dns.is_ready(api), seconds=90)
    step("DNS and Service addresses ready")
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    wait_for("default ServiceAccount", lambda: api.find(account) is not None, seconds=30)


def _link_programs(paths: Paths) -> None:
    paths.work_tree_bin.mkdir(parents=True, exist_ok=True)
    for program in (KUBERNETES.program("kubectl"), HELM.program("helm")):
        link = paths.work_tree_bin / program.name
        scratch = link.with_name(f".{link.name}.{os.getpid()}")
        scratch.symlink_to(program)
        scratch.rename(link)


def up(paths: Paths, *, fsync: bool = False, nodes: int = 1, with_gvisor: bool = False) -> None:
    """Starts or repairs the cluster from any state, and links it here.

    With `fsync`, etcd waits for the disk on each write, as on a cluster that is to last. A second
    node stays until `down`, and so does gVisor.
    """
    with _locked(paths):
        with_gvisor = with_gvisor or gvisor.is_enabled(paths)
        ensure_packages()
        ensure_binaries((*ALL_BUILDS, GVISOR) if with_gvisor else ALL_BUILDS)
        _refuse_second_cluster(paths)
        if with_gvisor:
            for each in (paths, paths.second):
                gvisor.enable(each)
        folder = _origin(paths)
        if processes.alive(paths, KEEPER) and folder not in (None, settings.REPOSITORY):
            step(f"using the cluster that was started from {folder}")
        _prepare(paths)
        try:
            _start_store_and_runtime(paths, fsync=fsync)
        except _StoreDamagedError:
            step("the stored objects are damaged: starting with an empty store")
            stop_keeper(paths.second)
            stop_keeper(paths)
            etcd.discard_data(paths)
            _prepare(paths)
            _start_store_and_runtime(paths, fsync=fsync)
        step("API server and containerd ready")
        api = Api(paths)
        _start_nodes_and_controllers(paths, api)
        if with_gvisor:
            gvisor.create_runtime_class(api)
        _wait_for_services(api)
        if nodes > 1 or second_node.is_there(paths):
            keeper = processes.alive(paths, KEEPER)
            assert keeper is not None
            second_node.ensure_running(paths, keeper, api)
        _link_programs(paths)
        kubeconfig = paths.work_tree_kubeconfig
        step(f"cluster {paths.context} is up; KUBECONFIG={kubeconfig}")


def down(paths: Paths) -> None:
    """Stops the cluster and removes all its files except cached programs and images."""
    with _locked(paths):
        for each in (paths.second, paths):
            stop_keeper(each)
            cgroups.remove_parent(each)
        if _other_live_cluster(paths) is None:
            kernel_settings.restore()
            network.remove_host_link()
            remove_mount_points()
        shutil.rmtree(paths.state, ignore_errors=True)
        if paths.state.exists():
            raise ClusterError(f"could not remove all of {paths.state}")
        step(f"cluster {paths.context} is down")


@dataclass(frozen=True)
class Health:
    """The result of `status`."""

    running: dict[str, bool]
    node_ready: bool

    @property
    def healthy(self) -> bool:
        return self.node_ready and all(self.running.values())

    @property
    def summary(self) -> str:
        if self.healthy:
            return "alive"
        return "partial" if any(self.running.values()) else "down"


def inspect(paths: Paths) -> Health:
    """Checks every component; changes nothing and needs no lock."""
    running = {name: processes.alive(paths, name) is not None for name in COMPONENTS}
    running |= second_node.running(paths)
    node_ready = False
    if running[control_plane.API_SERVER]:
        with contextlib.suppress(OSError, ApiError):
            node_ready = kubelet.is_ready(paths, Api(paths))
    return Health(running, node_ready)


def status(paths: Paths) -> bool:
    """Prints the state of every component; True if the cluster is healthy."""
    health = inspect(paths)
    print(f"context     {paths.context}")
    print(f"cluster     {health.summary}")
    for name, running in health.running.items():
        print(f"  {name:<24}  {'alive' if running else 'down'}")
    print(f"node        {'ready' if health.node_ready else 'not ready'}")
    print(f"kubeconfig  {paths.work_tree_kubeconfig}{_kubeconfig_remark(paths)}")
    print(f"started by  {_origin(paths) or '-'}")
    print(f"logs        {paths.logs}")
    return health.healthy


def _kubeconfig_remark(paths: Paths) -> str:
    return "" if paths.work_tree_kubeconfig.exists() else " (missing: run up here)"


def load(paths: Paths, archives: list[Path]) -> None:
    """Imports image archives into a live cluster."""
    if not succeeds(["ctr", "--address", paths.containerd_socket, "version"]):
        raise ClusterError(f"cluster {paths.context!r} is not up: dev/cluster up")
    containerd.import_images(paths, archives)
    second_node.copy_images(paths)
