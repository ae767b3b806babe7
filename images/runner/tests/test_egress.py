"""The attempt to open a connection that the network of a Pod is to refuse."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import time
from collections.abc import Iterator

import pytest

from assay_runner.supervisor import egress
from assay_runner.supervisor.config import Config, ConfigError
from assay_runner.supervisor.egress import ATTEMPT_SECONDS, ATTEMPTS, Egress, EgressAddress, dial
from local_runner import NewRunner, Runner

pytestmark = pytest.mark.slow

SETTINGS = {
    "ASSAY_POD_UID": "pod-1",
    "ASSAY_POD_NAMESPACE": "runs",
    "ASSAY_PUBLIC_KEYS": "k=" + "A" * 43 + "=",
}


@contextlib.contextmanager
def listener(backlog: int = 8) -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as server:
        yield server


def address(server: socket.socket) -> EgressAddress:
    return EgressAddress("127.0.0.1", server.getsockname()[1])


def runner_with(new_runner: NewRunner, target: EgressAddress, worker: str | None = None) -> Runner:
    text = f"{target.host}:{target.port}"
    return new_runner(worker, supervisor_environment={"ASSAY_EGRESS_ADDRESS": text})


def answer(runner: Runner) -> object:
    return runner.client.request("GET", "/v1/egress").body["egress"]


def test_each_request_is_an_attempt_of_its_own(new_runner: NewRunner) -> None:
    with listener() as server:
        runner = runner_with(new_runner, address(server))
        assert answer(runner) == "connected"
    assert answer(runner) == "refused"


def test_nothing_is_sent_and_the_connection_is_closed(new_runner: NewRunner) -> None:
    with listener() as server:
        assert answer(runner_with(new_runner, address(server))) == "connected"
        connection, _ = server.accept()
        with connection:
            connection.settimeout(10)
            assert connection.recv(1) == b""


def test_a_pod_without_an_address_does_not_know(new_runner: NewRunner) -> None:
    assert answer(new_runner(None)) == "unknown"


def test_nothing_is_tried_once_a_job_was_started(new_runner: NewRunner) -> None:
    with listener() as server:
        runner = runner_with(new_runner, address(server), "python")
        runner.client.run("print(1)")
        assert answer(runner) == "unknown"
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_no_attempt_begins_once_a_job_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "ATTEMPT_SECONDS", 0.1)
    asked: list[str] = []

    def until_the_start() -> bool:
        asked.append("idle" if not asked else "started")
        return asked[-1] == "idle"

    with listener(backlog=0) as server, contextlib.ExitStack() as stack:
        fill(stack, address(server))
        # The first attempt is not answered, and the job is started meanwhile.
        outcome = asyncio.run(dial(address(server), until_the_start))
    assert outcome is Egress.UNKNOWN
    assert asked == ["idle", "started"]


def always() -> bool:
    return True


def test_silence_is_a_refusal_and_holds_up_no_other_request(new_runner: NewRunner) -> None:
    with listener(backlog=0) as server, contextlib.ExitStack() as stack:
        target = address(server)
        fill(stack, target)
        runner = runner_with(new_runner, target)
        waiting = runner.client.connect()
        stack.callback(waiting.close)
        began = time.monotonic()
        waiting.request("GET", "/v1/egress")
        assert runner.client.hello()["state"] == "Idle"
        assert time.monotonic() - began < ATTEMPTS * ATTEMPT_SECONDS
        assert waiting.getresponse().read() == b'{"egress":"refused"}'
        assert time.monotonic() - began >= ATTEMPTS * ATTEMPT_SECONDS


def fill(stack: contextlib.ExitStack, target: EgressAddress) -> None:
    """Fill the queue of a listener, so that the kernel drops what comes next."""
    for _ in range(8):
        waiting = stack.enter_context(socket.socket())
        waiting.settimeout(0.2)
        try:
            waiting.connect(target)
        except TimeoutError:
            return
    pytest.fail("the queue is never full")


def test_a_connection_that_was_made_while_the_time_ran_out_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(egress, "ATTEMPT_SECONDS", 0.1)

    async def busy() -> Egress:
        attempt = asyncio.create_task(dial(address(server), always))
        # The attempt begins, and the loop comes back to it after its time.
        await asyncio.sleep(0)
        time.sleep(0.3)  # noqa: ASYNC251 - nothing else may run meanwhile
        return await attempt

    with listener() as server:
        assert asyncio.run(busy()) is Egress.CONNECTED


def test_a_lack_of_descriptors_says_nothing_of_the_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(*_: object) -> socket.socket:
        raise OSError(errno.EMFILE, "too many")

    async def without_descriptors() -> Egress:
        monkeypatch.setattr(socket, "socket", none_left)
        return await dial(EgressAddress("127.0.0.1", 1), always)

    assert asyncio.run(without_descriptors()) is Egress.UNKNOWN


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("192.0.2.1:80", "192.0.2.1", 80), ("[2001:db8::1]:65535", "2001:db8::1", 65535)],
)
def test_an_address_is_read_from_the_environment(text: str, host: str, port: int) -> None:
    config = Config.from_environment({**SETTINGS, "ASSAY_EGRESS_ADDRESS": text})
    assert config.egress_address == EgressAddress(host, port)


@pytest.mark.parametrize("text", ["80", "host:80", "192.0.2.1", "192.0.2.1:0", "192.0.2.1:65536"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="ASSAY_EGRESS_ADDRESS must be HOST:PORT"):
        Config.from_environment({**SETTINGS, "ASSAY_EGRESS_ADDRESS": text})
