"""The launcher hands its output pipe to the supervisor, also under tight kernel limits."""

from __future__ import annotations

import pytest

from local_runner import NewRunner

pytestmark = pytest.mark.slow

# A process without privileges whose user already has much of what the kernel counts by user.
CROWDED = """
import contextlib, ctypes, fcntl, os, resource, socket, sys
kept = []
def fill_pipes():
    for _ in range(70):
        kept.append(os.pipe())
        with contextlib.suppress(PermissionError):
            fcntl.fcntl(kept[-1][0], fcntl.F_SETPIPE_SZ, 2**20)
    for pipe in kept:
        for end in pipe: os.set_inheritable(end, True)
def send_descriptors():
    pair = socket.socketpair()
    kept.append(pair)
    for end in pair: end.set_inheritable(True)
    for _ in range(10): socket.send_fds(pair[0], [b'x'], [0] * 10)
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
globals()[sys.argv[1]]()
for capability in range(64): ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.argv[2], sys.argv[2:])
"""


def crowded(interpreter: str, crowd: str) -> list[str]:
    return [interpreter, "-c", CROWDED, crowd]


@pytest.mark.executed
def test_a_small_output_pipe_is_logged_and_loses_nothing(
    new_runner: NewRunner, interpreter: str
) -> None:
    runner = new_runner(launcher_prefix=crowded(interpreter, "fill_pipes"))
    finished = runner.client.run("for i in range(10000): print('line', i)")
    assert finished.text == "".join(f"line {i}\n" for i in range(10000))
    small = [record for record in runner.records if record["event"] == "smallPipe"]
    assert [(record["podUid"], record["reason"]) for record in small] == [
        ("pod-1", "Operation not permitted")
    ]
    assert int(str(small[0]["bytes"])) < 2**20


@pytest.mark.executed
def test_a_pipe_that_cannot_be_handed_over_is_a_failed_start_that_says_so(
    new_runner: NewRunner, interpreter: str
) -> None:
    runner = new_runner(launcher_prefix=crowded(interpreter, "send_descriptors"))
    finished = runner.client.run("print(1)")
    assert (finished.outcome, finished.error["type"]) == ("StartFailed", "HandoverFailed")
    assert finished.error["message"] == (
        "could not hand over the output pipe: Too many references: cannot splice"
    )
    assert finished.result["exit"] == {"code": None, "signal": None}
    assert runner.wait_until_launcher_ends() == 1


def test_a_small_pipe_is_read_as_soon_as_it_is_full(new_runner: NewRunner) -> None:
    size = 30 * 2**20
    finished = new_runner().client.run(
        "import fcntl, os\n"
        "fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 4096)\n"
        f"for _ in range({size // 4096}): os.write(1, bytes(4096))\n",
        timeoutMs=30_000,
    )
    assert finished.outcome == "Succeeded"
    assert finished.result["output"]["bytes"] == size
