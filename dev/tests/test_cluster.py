"""The parts of the development cluster that need no cluster."""

from __future__ import annotations

import datetime
import io
import ipaddress
import json
import os
import socket
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cluster import (
    audit,
    containerd,
    gvisor,
    image_archive,
    kubelet,
    processes,
    settings,
    stand_in_server,
    stand_ins,
    storage,
)
from cluster.binaries import GVISOR
from cluster.errors import ClusterError
from cluster.waiting import wait_for


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a/b", "../x", "a" * 41])
def test_a_context_that_cannot_be_a_folder_is_refused(name: str) -> None:
    with pytest.raises(ClusterError):
        settings.Paths(name)


def test_the_containerd_socket_fits_into_a_socket_address() -> None:
    assert len(str(settings.Paths("a" * 40).containerd_socket)) < 108


def test_a_volume_can_be_mounted_on_each_node(tmp_path: Path) -> None:
    volume: Any = storage.volume("local-0", tmp_path)
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]

    assert term["matchExpressions"] == [
        {
            "key": "kubernetes.io/hostname",
            "operator": "In",
            "values": ["assay-dev-node", "assay-dev-node-2"],
        }
    ]


def _runtimes(paths: settings.Paths) -> dict[str, Any]:
    plugins = tomllib.loads(containerd.configuration(paths))["plugins"]
    runtimes: dict[str, Any] = plugins["io.containerd.grpc.v1.cri"]["containerd"]["runtimes"]
    return runtimes


def test_containerd_has_gvisor_once_it_was_enabled_and_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "STATE_ROOT", tmp_path)
    paths = settings.Paths("test")
    before = _runtimes(paths)
    assert set(before) == {"runc"}
    gvisor.enable(paths)
    assert gvisor.is_enabled(settings.Paths("test"))
    after = _runtimes(paths)
    added = after.pop("gvisor")
    assert after == before
    # A name that is no path would be looked for in the PATH of containerd.
    assert Path(added["runtime_type"]) == GVISOR.program("containerd-shim-runsc-v1")
    options = tomllib.loads(Path(added["options"]["ConfigPath"]).read_text())
    assert options["binary_name"] == str(GVISOR.program("runsc"))


def test_the_version_of_gvisor_is_that_of_its_module() -> None:
    date = settings.GVISOR_VERSION.removesuffix(".0")
    assert f"gvisor.dev/gvisor v0.0.0-{date}" in (GVISOR.manifest / "go.mod").read_text()


def test_a_program_name_with_parentheses_does_not_shift_the_fields() -> None:
    after_name = "S " + " ".join(str(number) for number in range(4, 53))
    assert processes.parse_stat(f"7 (a) b) ) {after_name}\n") == ("S", 22)


def test_a_reused_pid_is_not_taken_for_the_recorded_process() -> None:
    here = processes.describe(os.getpid())
    assert processes.is_alive(here)
    assert not processes.is_alive(processes.Record(here.pid, here.start_ticks - 1, here.boot_id))
    assert not processes.is_alive(processes.Record(here.pid, here.start_ticks, "another boot"))


def test_a_process_lives_until_its_last_thread_has_ended() -> None:
    """Its first thread is a zombie then, but its sockets are still open."""
    exit_of_a_thread = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    code = f"""
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
print(flush=True)
ctypes.CDLL(None).syscall({exit_of_a_thread}, 0)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        record = processes.describe(process.pid)
        wait_for("the end of the first thread", lambda: state(process.pid) == "Z", seconds=30)
        assert processes.is_alive(record)
        processes.stop(record, what="the process")
        assert not processes.is_alive(record)


def state(pid: int) -> str:
    return processes.parse_stat(Path(f"/proc/{pid}/stat").read_text())[0]


def test_the_command_line_of_a_process_is_read_word_by_word() -> None:
    here = Path("/proc/self/cmdline").read_bytes()
    assert processes.parse_command_line(here) == sys.orig_argv
    assert processes.parse_command_line(b"a\0\0b c\0") == ["a", "", "b c"]
    assert processes.parse_command_line(b"") == []


def test_the_audit_log_has_what_the_system_namespace_changes_and_no_more() -> None:
    changes, rest = audit.policy()["rules"]  # type: ignore[misc]
    assert changes["userGroups"] == ["system:serviceaccounts:assay-system"]
    assert not {"get", "list", "watch"} & set(changes["verbs"])
    assert rest == {"level": "None"}


def test_a_stand_in_answers_a_connection_with_its_line() -> None:
    with (
        stand_in_server.listen("127.0.0.1", "tcp/0") as opened,
        socket.create_connection(opened.getsockname(), timeout=5) as client,
    ):
        stand_in_server.answer(opened, b"here\n")
        assert client.makefile("rb").read() == b"here\n"


def test_a_stand_in_answers_a_packet_with_its_line() -> None:
    with (
        stand_in_server.listen("127.0.0.1", "udp/0") as opened,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
    ):
        client.settimeout(5)
        client.sendto(b"anybody?", opened.getsockname())
        stand_in_server.answer(opened, b"here\n")
        assert client.recv(100) == b"here\n"


def test_a_peer_that_has_gone_does_not_end_a_stand_in() -> None:
    with stand_in_server.listen("127.0.0.1", "tcp/0") as opened:
        client = socket.create_connection(opened.getsockname(), timeout=5)
        # With this a close resets the connection.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
        stand_in_server.answer(opened, b"here\n")


def test_the_stand_ins_are_told_apart_and_none_is_a_host_of_the_internet() -> None:
    assert len({stand_in.name for stand_in in stand_ins.ALL}) == len(stand_ins.ALL)
    for stand_in in stand_ins.ALL:
        assert not ipaddress.ip_address(stand_in.address).is_global


def _node(status: str, taints: list[Any] | None = None) -> dict[str, Any]:
    reported = "2026-01-01T00:00:10Z"
    condition = {"type": "Ready", "status": status, "lastHeartbeatTime": reported}
    return {"spec": {"taints": taints}, "status": {"conditions": [condition]}}


def test_a_report_from_before_the_restart_does_not_make_a_node_ready() -> None:
    restart = datetime.datetime(2026, 1, 1, 0, 0, 11, tzinfo=datetime.UTC)
    assert kubelet.node_is_ready(_node("True"))
    assert not kubelet.node_is_ready(_node("True"), restart)


def test_a_node_that_is_tainted_or_silent_is_not_ready() -> None:
    assert not kubelet.node_is_ready(_node("Unknown"))
    assert not kubelet.node_is_ready(_node("True", [{"key": "node.kubernetes.io/not-ready"}]))
    assert not kubelet.node_is_ready({"spec": {}})


def test_an_image_archive_names_its_layer_and_program() -> None:
    content = image_archive.docker_archive("localhost/x:1", "x", b"program", "1:1")
    assert content == image_archive.docker_archive("localhost/x:1", "x", b"program", "1:1")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        manifest_file = archive.extractfile("manifest.json")
        layer_file = archive.extractfile("layer.tar")
        assert manifest_file and layer_file
        (manifest,) = json.load(manifest_file)
        with tarfile.open(fileobj=layer_file) as layer:
            assert layer.getmember("x").mode == 0o755
    assert manifest["RepoTags"] == ["localhost/x:1"]
