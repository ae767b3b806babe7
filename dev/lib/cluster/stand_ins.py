"""Hosts that tests can or must not reach: a cloud's metadata service, and an external host.

Each lives in a network namespace of its own, linked to the node, so that Pods reach it as they
would the real one, and nothing leaves this machine. A third one answers on the node's own address
over UDP, where Kubernetes itself listens on TCP only.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cluster import processes, settings
from cluster.commands import run, succeeds
from cluster.errors import ClusterError
from cluster.kubelet import PORT as KUBELET_PORT
from cluster.processes import Record
from cluster.settings import Paths
from cluster.waiting import wait_for

_PROGRAM = Path(__file__).with_name("stand_in_server.py")
_PEER = "eth0"


@dataclass(frozen=True)
class StandIn:
    """A host with one address. `link` is the node's end of the way there; none for the node."""

    name: str
    address: str
    ports: tuple[str, ...]
    link: str | None

    @property
    def line(self) -> str:
        """What it answers."""
        return f"{self.name} of dev/cluster"


METADATA = StandIn(
    "metadata-stand-in",
    settings.METADATA_IP,
    (f"tcp/{settings.METADATA_PORT}", f"udp/{settings.METADATA_PORT}"),
    "metadata0",
)
OUTSIDE = StandIn(
    "outside-stand-in",
    settings.OUTSIDE_IP,
    (f"tcp/{settings.OUTSIDE_PORT}", f"udp/{settings.OUTSIDE_PORT}"),
    "outside0",
)
NODE = StandIn(
    "node-stand-in",
    settings.NODE_IP,
    (f"udp/{settings.API_PORT}", f"udp/{KUBELET_PORT}"),
    None,
)
ALL = (METADATA, OUTSIDE, NODE)


def _inside(pid: int) -> list[str]:
    return ["nsenter", "--target", str(pid), "--net"]


def _link(node: list[str], pid: int, stand_in: StandIn, link: str) -> None:
    host = _inside(pid)
    if not succeeds([*host, "ip", "link", "show", "dev", _PEER]):
        # The node's end of an earlier one may still be there.
        succeeds([*node, "ip", "link", "delete", "dev", link])
        peer = ["peer", "name", _PEER, "netns", str(pid)]
        run([*node, "ip", "link", "add", link, "type", "veth", *peer])
    run([*host, "ip", "address", "replace", f"{stand_in.address}/32", "dev", _PEER])
    run([*host, "ip", "link", "set", _PEER, "up"])
    run([*node, "ip", "link", "set", link, "up"])
    run([*node, "ip", "route", "replace", f"{stand_in.address}/32", "dev", link])
    way_back = ["default", "via", settings.NODE_IP, "dev", _PEER, "onlink"]
    run([*host, "ip", "route", "replace", *way_back])


def _answers(node: list[str], interpreter: str, stand_in: StandIn) -> bool:
    question = "import socket, sys; socket.create_connection((sys.argv[1], sys.argv[2]), 1)"
    return all(
        succeeds([*node, interpreter, "-Ic", question, stand_in.address, port.partition("/")[2]])
        for port in stand_in.ports
        if port.startswith("tcp/")
    )


def ensure_running(paths: Paths, keeper: Record) -> None:
    """Starts each stand-in unless it runs, and links it to the node."""
    interpreter = shutil.which("python3", path=processes.PROGRAM_PATH)
    if interpreter is None:
        raise ClusterError("the stand-in hosts require python3 in /usr/bin or /usr/local/bin")
    paths.config.mkdir(parents=True, exist_ok=True)
    # A work tree may be deleted while the cluster runs.
    program = paths.config / _PROGRAM.name
    program.write_bytes(_PROGRAM.read_bytes())
    node = _inside(keeper.pid)
    for stand_in in ALL:
        own_network = stand_in.link is not None
        address = "0.0.0.0" if own_network else stand_in.address
        command = [interpreter, "-I", str(program), stand_in.line, address, *stand_in.ports]
        processes.ensure_running(paths, stand_in.name, command, own_network=own_network)
        record = processes.alive(paths, stand_in.name)
        if record is None:
            raise ClusterError(f"{stand_in.name} exited immediately")
        if stand_in.link is not None:
            _link(node, record.pid, stand_in, stand_in.link)
        wait_for(
            f"{stand_in.name} answers",
            partial(_answers, node, interpreter, stand_in),
            seconds=10,
            still_possible=partial(processes.is_alive, record),
            hint=str(processes.log_file(paths, stand_in.name)),
        )
