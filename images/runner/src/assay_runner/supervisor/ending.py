"""Decides the outcome of a run."""

from __future__ import annotations

import enum
import signal
from typing import NamedTuple

from assay_runner.supervisor.worker_messages import CodeError, Exit, WorkerResult

# Python's exit code if flushing sys.stdout or sys.stderr failed at its end.
_FLUSH_FAILED = 120
# Of concurrent.futures, joblib, subprocess, and pipes to the child.
_OF_LOST_CHILDREN = {
    *("BrokenProcessPool", "TerminatedWorkerError", "CalledProcessError", "EOFError"),
    *("BrokenPipeError", "ConnectionResetError"),
}


class Outcome(enum.Enum):
    """The outcome of a run."""

    SUCCEEDED = "Succeeded"
    CODE_ERROR = "CodeError"
    DEADLINE_EXCEEDED = "DeadlineExceeded"
    MEMORY_EXCEEDED = "MemoryExceeded"
    CANCELLED = "Cancelled"
    START_FAILED = "StartFailed"
    WORKER_LOST = "WorkerLost"


class Stop(enum.Enum):
    """Why the supervisor ended a worker itself."""

    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    START_DEADLINE = "start deadline"


class Ending(NamedTuple):
    """An outcome with its error, if it has one."""

    outcome: Outcome
    error: CodeError | None = None


def decide(
    *,
    started: bool,
    stop: Stop | None,
    result: WorkerResult | None,
    exit_report: Exit | None,
    memory_signal: int | None = None,
) -> Ending:
    """Return how the run ended.

    Args:
        started: whether the worker announced the first user instruction.
        stop: why the supervisor ended the worker, unless it had reported an error by then.
        result: the worker's result, if it sent one in time.
        exit_report: the launcher's report; None if the launcher was lost.
        memory_signal: by which the worker ends itself for lack of memory, if it does so.
    """
    if stop is Stop.CANCELLED:
        return Ending(Outcome.CANCELLED)
    # Code that started just as the start deadline passed was stopped by a time limit too.
    if stop is Stop.DEADLINE or (stop is Stop.START_DEADLINE and started):
        return Ending(Outcome.DEADLINE_EXCEEDED, _deadline_error(exit_report))
    if not started:
        return Ending(Outcome.START_FAILED, _start_error(stop, result, exit_report))
    if result is not None:
        ending = _by_result(result, exit_report)
    elif exit_report is None:
        return Ending(Outcome.WORKER_LOST)
    else:
        ending = _by_exit(exit_report, memory_signal)
    if exit_report is not None and exit_report.oom_killed and _is_of_lost_child(ending.error):
        return Ending(Outcome.MEMORY_EXCEEDED, ending.error)
    return ending


def _is_of_lost_child(error: CodeError | None) -> bool:
    """Return whether code fails so if a child process was killed; other errors tell more."""
    return error is not None and error.type.rpartition(".")[2] in _OF_LOST_CHILDREN


def _by_exit(exit_report: Exit, memory_signal: int | None) -> Ending:
    if exit_report.oom_killed and exit_report.signal == signal.SIGKILL:
        return Ending(Outcome.MEMORY_EXCEEDED)
    if memory_signal is not None and exit_report.signal == memory_signal:
        return Ending(Outcome.MEMORY_EXCEEDED)
    if exit_report.code == 0:
        return Ending(Outcome.SUCCEEDED)
    return Ending(Outcome.CODE_ERROR, CodeError("ProcessEnded", exit_report.describe()))


def _by_result(result: WorkerResult, exit_report: Exit | None) -> Ending:
    code = exit_report.code if exit_report else None
    # The process may report an exception and still exit with 0; then the run succeeded.
    if result.error is not None and code != 0 and result.only_with_exit_code in (None, code):
        return Ending(Outcome.CODE_ERROR, result.error)
    if exit_report and code == _FLUSH_FAILED:
        message = f"{exit_report.describe()}: Python could not flush its streams at the end"
        return Ending(Outcome.CODE_ERROR, CodeError("ProcessEnded", message))
    if code:
        # Python finished without an error but with an exit code, so the code raised SystemExit.
        return Ending(Outcome.CODE_ERROR, CodeError("SystemExit", str(code)))
    return Ending(Outcome.SUCCEEDED)


def _deadline_error(exit_report: Exit | None) -> CodeError | None:
    """Return where in the script time ran out, if that is known."""
    if exit_report is None or not exit_report.stack:
        return None
    lines = [f'  File "main.py", line {line}, in {name}' for line, name in exit_report.stack]
    trace = "\n".join(["Traceback (most recent call last):", *lines])
    line = exit_report.stack[-1].line
    return CodeError("TimeLimitExceeded", f"Time ran out in line {line}", line, trace)


def _start_error(
    stop: Stop | None, result: WorkerResult | None, exit_report: Exit | None
) -> CodeError:
    if result is not None and result.error is not None:
        return result.error
    if stop is Stop.START_DEADLINE:
        return CodeError("StartTimeout", "The worker was not ready to run code in time")
    if exit_report is None:
        return CodeError("WorkerLost", "The worker's container ended before it ran code")
    if exit_report.oom_killed:
        return CodeError("MemoryExceeded", "The worker was OOM-killed while loading its data")
    reason = f": {exit_report.errors}" if exit_report.errors else ""
    return CodeError("ProcessEnded", f"{exit_report.describe()} before it ran code{reason}")
