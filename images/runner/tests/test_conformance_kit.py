"""The conformance kit as a command, against runners that it did not start."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

import assay_runner
from local_runner import NewRunner
from messages import SCHEMAS
from runner_client import OPERATIONS, Target

pytestmark = pytest.mark.slow

KIT = SCHEMAS.parent / "conformance" / "run"
_LAST_SECONDS = 300


def run_kit(*arguments: str) -> subprocess.CompletedProcess[str]:
    own = {name for name in os.environ if name.startswith("PYTEST_")}
    return subprocess.run(
        [KIT, *arguments],
        env={name: value for name, value in os.environ.items() if name not in own},
        capture_output=True,
        text=True,
        timeout=_LAST_SECONDS,
        check=False,
    )


def by_address(target: Target, directory: Path) -> list[str]:
    """The arguments that describe one runner."""
    key = directory / "key.pem"
    key.write_bytes(target.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return [
        *("--address", f"{target.host}:{target.port}", "--namespace", target.namespace),
        *("--pod-uid", target.pod_uid, "--key-id", target.key_id, "--private-key", str(key)),
        *("--request-timeout-ms", "5000"),
    ]


@pytest.mark.executed
def test_the_kit_runs_against_one_runner_by_its_address_and_uses_it_up(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    runner = new_runner(supervisor_environment={"ASSAY_REQUEST_TIMEOUT_MS": "5000"})
    done = run_kit(*by_address(runner.client.target, tmp_path))
    assert done.returncode == 0, done.stdout
    assert "deselected" in done.stdout
    assert runner.wait_until_supervisor_ends() == 0
    assert [record["event"] for record in runner.records] == ["staged", "sent", "started"]


def test_the_kit_runs_against_each_runner_that_a_command_launches() -> None:
    path = os.pathsep.join(
        str(Path(module).parent) for module in (__file__, assay_runner.__path__[0], KIT)
    )
    launch = shlex.join(["env", f"PYTHONPATH={path}", sys.executable, "-m", "launch_local"])
    chosen = "cut_off or (refuses_another and start) or nonce_of_its_own or are_forgotten"
    done = run_kit("--launch", launch, "--namespace", "runs", "-vv", "-k", chosen)
    assert done.returncode == 0, done.stdout
    for test in ("cut_off", "refuses_another[start]", "nonce_of_its_own", "events_are_forgotten"):
        assert test in done.stdout


@pytest.fixture
def careless_runner() -> Iterator[Target]:
    """A server that answers hello as a runner does, and accepts every other request."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), CarelessRunner)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    host, port = server.server_address[:2]
    yield Target(str(host), port, "runs", "pod-1", "k1", Ed25519PrivateKey.generate())
    server.shutdown()
    thread.join()
    server.server_close()


class CarelessRunner(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.answer({**HELLO, "laterMember": 1})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer({"state": "Staged"})

    def answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


HELLO = {
    "protocol": 1,
    "podUid": "pod-1",
    "nonce": "n" * 43,
    "state": "Idle",
    "runUid": None,
    "keyIds": ["k1"],
}


def test_the_kit_finds_a_runner_that_refuses_nothing(
    careless_runner: Target, tmp_path: Path
) -> None:
    chosen = "hello_tells_protocol or unsigned or identity or one_run"
    done = run_kit(*by_address(careless_runner, tmp_path), "-k", chosen)
    assert done.returncode == 1, done.stdout
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert len(failed) == len(OPERATIONS) * (1 + 6) + 1, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "give either --launch or --address"),
        (["--launch", "true"], "--namespace is missing"),
        (["--address", "a:1", "--namespace", "runs"], "--pod-uid is missing"),
    ],
)
def test_the_kit_reports_missing_arguments(arguments: list[str], complaint: str) -> None:
    done = run_kit(*arguments)
    assert done.returncode == 4
    assert complaint in done.stderr
