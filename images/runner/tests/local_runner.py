"""Starts the real supervisor and launcher as local processes."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from messages import Messages
from processes import ForkServer, Process, Start, execute, fork_server
from runner_client import Finished, RunnerClient, Target

KEY_ID = "k1"
NAMESPACE = "runs"
POD_UID = "pod-1"
_SOURCES = Path(__file__).parent.parent / "src"
_LIBRARY = Path(__file__).parent.parent / "library" / "src"
_MESSAGES = Messages(closed=True)
_EXIT_SECONDS = 20.0
_MODULES_OF_WORKERS = (
    "numpy",
    "pandas",
    "assay_runner.launcher.launcher",
    "assay_runner.worker.preparation",
    "assay_runner.worker.datasets",
    "assay_runner.worker.library_patches",
    "assay_runner.snapshot.worker",
    "assay_runner.snapshot.build",
)


@dataclass(frozen=True)
class Runner:
    """A supervisor and, if it was asked for, a launcher."""

    client: RunnerClient
    supervisor: Process
    launcher: Process | None
    workspace: Path
    scratch: Path
    snapshot: Path
    source: Path
    socket: Path
    log: Path

    @property
    def records(self) -> list[dict[str, object]]:
        """What the supervisor wrote to its stderr."""
        records = [json.loads(line) for line in self.log.read_text().splitlines()]
        for record in records:
            _MESSAGES.check("log-line", record)
        return records

    def read_stdout(self) -> bytes:
        """Return what the supervisor wrote to its stdout after `listening`, to its end."""
        assert self.supervisor.stdout is not None
        return self.supervisor.stdout.read()

    def acknowledge(self, finished: Finished) -> None:
        """Let the supervisor exit."""
        assert self.client.call("ack", seq=finished.result["seq"]).status == 200

    def wait_until_supervisor_ends(self) -> int:
        """Return the supervisor's exit code."""
        return self.supervisor.wait(_EXIT_SECONDS)

    def wait_until_launcher_ends(self) -> int:
        """Return the launcher's exit code."""
        assert self.launcher is not None
        return self.launcher.wait(_EXIT_SECONDS)


NewRunner = Callable[..., Runner]


_QUICK_PARTS_OF_THE_KIT = {"test_one_run.py", "test_runs.py"}


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark most of the conformance kit as slow; it is for any runner, and has no markers itself."""
    for item in items:
        if item.path.parent.name == "conformance" and item.path.name not in _QUICK_PARTS_OF_THE_KIT:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has the runner installed as in the image, isolated mode included."""
    return make_interpreter(tmp_path_factory.mktemp("python"))


def make_interpreter(home: Path) -> str:
    """Make such a Python in a directory; returns its path."""
    venv.create(home, symlinks=True, with_pip=False)
    site = next(home.glob("lib/python*/site-packages"))
    paths = [str(_SOURCES), *(path for path in sys.path if path.endswith("site-packages"))]
    (site / "runner.pth").write_text("\n".join(paths))
    share = home / "share" / "assay"
    share.mkdir(parents=True)
    (share / "library").symlink_to(_LIBRARY)
    interpreter = str(home / "bin" / "python")
    fonts = _fonts_of(interpreter)
    command = [interpreter, "-I", "-m", "assay_runner.fonts", fonts]
    subprocess.run(command, check=True)  # noqa: S603 - its own words
    return interpreter


def _fonts_of(interpreter: str) -> str:
    """As the image has them: else matplotlib says that it looks for fonts, on a slow machine."""
    return str(Path(interpreter).parent.parent / "share" / "matplotlib")


class ForkServers(NamedTuple):
    """The servers that fork the two processes of a runner."""

    supervisor: ForkServer
    launcher: ForkServer


@pytest.fixture(scope="session")
def fork_servers(interpreter: str) -> Iterator[ForkServers]:
    """Where most tests start their runners."""
    with (
        fork_server(interpreter, "assay_runner.supervisor.service") as supervisor,
        fork_server(interpreter, *_MODULES_OF_WORKERS) as launcher,
    ):
        yield ForkServers(supervisor, launcher)


@pytest.fixture
def new_runner(
    interpreter: str, fork_servers: ForkServers, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[NewRunner]:
    """A function that starts a runner; all its processes are killed after the test.

    Its processes are forked, but executed as in a Pod for tests that are marked `executed`.
    """
    servers = None if request.node.get_closest_marker("executed") else fork_servers
    with contextlib.ExitStack() as stack:
        made = iter(range(100))

        def start(worker: str | None = "python", **options: Any) -> Runner:  # noqa: ANN401
            pod = tmp_path / f"pod-{next(made)}"
            return start_runner(stack, interpreter, pod, servers, worker=worker, **options)

        yield start


@pytest.fixture(scope="session")
def idle(
    interpreter: str, fork_servers: ForkServers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunnerClient]:
    """For the conformance tests: a runner in which no run is staged."""
    with contextlib.ExitStack() as stack:
        pod = tmp_path_factory.mktemp("idle")
        yield start_runner(stack, interpreter, pod, fork_servers, worker=None).client


@pytest.fixture
def unstarted(new_runner: NewRunner) -> RunnerClient:
    """For the conformance tests: a new runner that does not have to run anything."""
    return new_runner(worker=None).client


@pytest.fixture
def fresh(new_runner: NewRunner) -> RunnerClient:
    """For the conformance tests: a new runner."""
    return new_runner().client


@pytest.fixture
def last(fresh: RunnerClient) -> RunnerClient:
    """For the conformance tests: a runner that may be used up."""
    return fresh


@pytest.fixture
def impatient(new_runner: NewRunner) -> tuple[RunnerClient, float]:
    """For the conformance tests: an idle runner, and its time limit for slow callers."""
    settings = {"ASSAY_REQUEST_TIMEOUT_MS": "2000"}
    return new_runner(worker=None, supervisor_environment=settings).client, 2.0


def start_runner(
    stack: contextlib.ExitStack,
    interpreter: str,
    pod: Path,
    servers: ForkServers | None = None,
    *,
    worker: str | None = "python",
    datasets: Mapping[str, Path] = MappingProxyType({}),
    load: int | None = None,
    supervisor_environment: Mapping[str, str] = MappingProxyType({}),
    worker_environment: Mapping[str, str] = MappingProxyType({}),
    launcher_prefix: Sequence[str] = (),
) -> Runner:
    """Start a supervisor and a launcher.

    Args:
        stack: ends both and removes what was made outside of `pod`.
        interpreter: the Python of `make_interpreter`.
        pod: directory that is made for them.
        servers: what they are forked from; None to execute them.
        worker: which worker the launcher starts; None for no launcher.
        datasets: snapshot directories by name.
        load: how many of them are loaded before there is a job; None for all.
        supervisor_environment: further settings of the supervisor.
        worker_environment: further settings of the launcher.
        launcher_prefix: command that executes the launcher.
    """
    workspace, scratch, snapshot, source, mounts, inputs = (
        pod / name for name in ("workspace", "scratch", "snapshot", "source", "datasets", "inputs")
    )
    for directory in (workspace, scratch, snapshot, source, mounts, inputs):
        directory.mkdir(parents=True)
    for name, target in datasets.items():
        (mounts / name).symlink_to(target)
    # A unix socket's path may have about a hundred characters; a test's directory may be longer.
    socket_directory = tempfile.mkdtemp(prefix="assay-")
    stack.callback(shutil.rmtree, socket_directory)
    shared = {
        "PATH": os.environ["PATH"],
        "ASSAY_SOCKET": f"{socket_directory}/launcher.sock",
        "ASSAY_INPUTS_DIR": str(inputs),
        "ASSAY_LINGER_MS": "0",
    }
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    settings = {
        "ASSAY_POD_UID": POD_UID,
        "ASSAY_POD_NAMESPACE": NAMESPACE,
        "ASSAY_PUBLIC_KEYS": f"{KEY_ID}={base64.b64encode(public).decode()}",
        "ASSAY_PORT": "0",
        "ASSAY_ADDRESS": "127.0.0.1",
    }
    if worker == "snapshot":
        settings["ASSAY_UPLOAD_LIMIT_BYTES"] = str(2**30)
        settings["ASSAY_SNAPSHOT_DIR"] = str(snapshot)
    log = pod / "supervisor.log"
    stack.callback(_show, log)
    environment = {**shared, **settings, **supervisor_environment}
    with log.open("wb") as file:
        start = Start(
            "assay_runner.supervisor", [], environment, pod, subprocess.PIPE, file.fileno()
        )
        supervisor = servers.supervisor.fork(start) if servers else execute(interpreter, start)
    stack.callback(_end, supervisor)
    launcher = None
    if worker is not None:
        arguments = [worker]
        for name in list(datasets)[:load]:
            arguments += ["--dataset", name]
        settings = {
            "ASSAY_WORKSPACE_DIR": str(workspace),
            "ASSAY_SCRATCH_DIR": str(scratch),
            "ASSAY_DATASETS_DIR": str(mounts),
            "ASSAY_SNAPSHOT_DIR": str(snapshot),
            "ASSAY_SOURCE_DIR": str(source),
            "ASSAY_MATPLOTLIB_CACHE": _fonts_of(interpreter),
        }
        environment = {**shared, **settings, **worker_environment}
        start = Start("assay_runner.launcher", arguments, environment, pod)
        if servers is None or launcher_prefix:
            launcher = execute(interpreter, start, launcher_prefix)
        else:
            launcher = servers.launcher.fork(start)
        stack.callback(_end, launcher)
    assert supervisor.stdout is not None
    port = json.loads(supervisor.stdout.readline())["listening"]
    client = RunnerClient(Target("127.0.0.1", port, NAMESPACE, POD_UID, KEY_ID, key), _MESSAGES)
    socket = Path(shared["ASSAY_SOCKET"])
    return Runner(client, supervisor, launcher, workspace, scratch, snapshot, source, socket, log)


def _show(log: Path) -> None:
    """Write a log to stderr, which pytest shows if the test has failed."""
    sys.stderr.write(log.read_text())


def _end(process: Process) -> None:
    """Hanging up on the launcher ends its worker, so the supervisor is killed first or last."""
    process.kill()
    process.wait(_EXIT_SECONDS)
    if process.stdout is not None:
        process.stdout.close()
