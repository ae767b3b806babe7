"""Pytest plugin of `run`: the runner at an address, or each that a command launches."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from messages import Messages
from runner_client import RunnerClient, Target

_LAUNCH_SECONDS = 120.0
_REMOVE_SECONDS = 60.0
_NEED_A_NEW_RUNNER = {"fresh", "unstarted"}
_MESSAGES = Messages()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what tells of the runners."""
    group = parser.getgroup("runners", "which runners to test")
    group.addoption("--launch", help="command that launches a new runner each time")
    group.addoption("--address", metavar="HOST:PORT", help="one new runner, instead of --launch")
    group.addoption("--namespace", help="the namespace of the runner's Pod")
    group.addoption("--pod-uid", help="with --address: the UID of the runner's Pod")
    group.addoption("--key-id", default="k1", help="the id of the key; default k1")
    group.addoption("--private-key", metavar="FILE", help="with --address: Ed25519 key, PEM")
    group.addoption(
        "--request-timeout-ms",
        type=int,
        default=60_000,
        help="with --address: the runner's ASSAY_REQUEST_TIMEOUT_MS; default 60000",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a call that does not say where the runners are."""
    launch, address = config.getoption("launch"), config.getoption("address")
    if bool(launch) == bool(address):
        raise pytest.UsageError("give either --launch or --address")
    needed = ("namespace",) if launch else ("namespace", "pod_uid", "private_key")
    for option in needed:
        if not config.getoption(option):
            raise pytest.UsageError(f"--{option.replace('_', '-')} is missing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With one runner only, leave out what needs another, and use the runner up last."""
    if not config.getoption("address"):
        return
    left_out = [item for item in items if _NEED_A_NEW_RUNNER & set(_fixtures(item))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = sorted(
        (item for item in items if item not in left_out), key=lambda item: "last" in _fixtures(item)
    )


def _fixtures(item: pytest.Item) -> list[str]:
    return list(getattr(item, "fixturenames", ()))


@contextlib.contextmanager
def _launched(config: pytest.Config, **environment: str) -> Iterator[RunnerClient]:
    key = Ed25519PrivateKey.generate()
    key_id, namespace = config.getoption("key_id"), config.getoption("namespace")
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    settings = {
        "ASSAY_POD_NAMESPACE": namespace,
        "ASSAY_PUBLIC_KEYS": f"{key_id}={base64.b64encode(public).decode()}",
        **environment,
    }
    command = shlex.split(config.getoption("launch"))
    with subprocess.Popen(  # noqa: S603 - the user's own command
        command,
        env={**os.environ, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            told = json.loads(_first_line(process))
            host, port = _host_and_port(told["address"])
            target = Target(host, port, namespace, told["podUid"], key_id, key)
            yield RunnerClient(target, _MESSAGES)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(_REMOVE_SECONDS)


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], _LAUNCH_SECONDS)
    line = process.stdout.readline() if ready else b""
    if not line:
        raise RuntimeError("the command of --launch told no address")
    return line


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _addressed(config: pytest.Config) -> RunnerClient:
    key = load_pem_private_key(Path(config.getoption("private_key")).read_bytes(), None)
    if not isinstance(key, Ed25519PrivateKey):
        raise pytest.UsageError("--private-key is no Ed25519 key")
    host, port = _host_and_port(config.getoption("address"))
    namespace, pod_uid, key_id = map(config.getoption, ("namespace", "pod_uid", "key_id"))
    return RunnerClient(Target(host, port, namespace, pod_uid, key_id, key), _MESSAGES)


@pytest.fixture(scope="session")
def idle(pytestconfig: pytest.Config) -> Iterator[RunnerClient]:
    """A client of a runner that nothing is ever staged in."""
    if pytestconfig.getoption("address"):
        yield _addressed(pytestconfig)
    else:
        with _launched(pytestconfig) as client:
            yield client


@pytest.fixture
def fresh(pytestconfig: pytest.Config) -> Iterator[RunnerClient]:
    """A client of a new runner that runs Python."""
    with _launched(pytestconfig) as client:
        yield client


@pytest.fixture
def unstarted(fresh: RunnerClient) -> RunnerClient:
    """A client of a new runner that will not be asked to run anything."""
    return fresh


@pytest.fixture
def last(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> RunnerClient:
    """A client of a runner that may be used up: a new one, or the only one."""
    only = pytestconfig.getoption("address")
    client: RunnerClient = request.getfixturevalue("idle" if only else "fresh")
    return client


@pytest.fixture
def impatient(pytestconfig: pytest.Config) -> Iterator[tuple[RunnerClient, float]]:
    """A client of an idle runner, and after how many seconds it cuts a slow caller off."""
    if pytestconfig.getoption("address"):
        seconds = pytestconfig.getoption("request_timeout_ms") / 1000
        yield _addressed(pytestconfig), seconds
    else:
        with _launched(pytestconfig, ASSAY_REQUEST_TIMEOUT_MS="2000") as client:
            yield client, 2.0
