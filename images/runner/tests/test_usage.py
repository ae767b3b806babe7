"""What a process has used, as the launcher reads it before the process has ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from assay_runner.launcher.usage import usage

pytestmark = pytest.mark.slow

# Most of a clock tick of 10 ms is used when it waits.
_CODE = """
import os, sys, time
if sys.argv[1:]:
    command = [sys.executable, "-c", "sum(range(10**6))"]
    os.spawnv(os.P_WAIT, command[0], command)
while time.process_time_ns() % 10**7 < 8 * 10**6:
    pass
print(time.process_time_ns(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def waiting(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _CODE, *request.param]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


@pytest.mark.parametrize("waiting", [()], indirect=True)
def test_cpu_time_is_exact(waiting: subprocess.Popen[str]) -> None:
    assert waiting.stdout
    at_least_ms = int(waiting.stdout.readline()) // 10**6
    used = usage(waiting.pid)
    assert used is not None
    assert at_least_ms <= used.cpu_ms


@pytest.mark.parametrize("waiting", [("children",)], indirect=True)
def test_the_usage_of_a_process_that_has_reaped_children_is_unknown(
    waiting: subprocess.Popen[str],
) -> None:
    assert waiting.stdout
    assert waiting.stdout.readline()
    assert usage(waiting.pid) is None


def test_the_usage_of_a_process_that_is_gone_is_unknown() -> None:
    pid = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    try:
        assert usage(pid) is None
    finally:
        os.waitpid(pid, 0)
    assert usage(pid) is None
