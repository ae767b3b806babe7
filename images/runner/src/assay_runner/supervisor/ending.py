"""Decides how a run ended from what is known of it."""

from __future__ import annotations

import enum
import signal
from dataclasses import dataclass

from assay_runner.supervisor.worker_messages import CodeError, Exit, WorkerResult

# Of Python, where flushing sys.stdout or sys.stderr at its end has failed.
_FLUSH_FAILED = 120


class Outcome(enum.Enum):
    """How a run ended."""

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


@dataclass(frozen=True)
class Ending:
    """An outcome with its error, if it has one."""

    outcome: Outcome
    error: CodeError | None = None


def decide(
    *, started: bool, stop: Stop | None, result: WorkerResult | None, exit_report: Exit | None
) -> Ending:
    """Return how the run ended.

    Args:
        started: whether the first user instruction was announced.
        stop: why the supervisor ended it, if it did so before the worker gave a result.
        result: the worker's own word, if it gave one in time.
        exit_report: the launcher's word, None if it vanished.
    """
    if stop is Stop.CANCELLED:
        return Ending(Outcome.CANCELLED)
    # Code that began just as the time to start ran out was stopped by the clock all the same.
    if stop is Stop.DEADLINE or (stop is Stop.START_DEADLINE and started):
        return Ending(Outcome.DEADLINE_EXCEEDED)
    if not started:
        return Ending(Outcome.START_FAILED, _start_error(stop, result, exit_report))
    if result is not None:
        return _by_result(result, exit_report)
    if exit_report is None:
        return Ending(Outcome.WORKER_LOST)
    if exit_report.oom_killed and exit_report.signal == signal.SIGKILL:
        return Ending(Outcome.MEMORY_EXCEEDED)
    if exit_report.code == 0:
        return Ending(Outcome.SUCCEEDED)
    return Ending(Outcome.CODE_ERROR, CodeError("ProcessEnded", exit_report.describe()))


def _by_result(result: WorkerResult, exit_report: Exit | None) -> Ending:
    code = exit_report.code if exit_report else None
    # An exception that was printed on the way to a good end is none of the run.
    if result.error is not None and code != 0 and result.only_with_exit_code in (None, code):
        return Ending(Outcome.CODE_ERROR, result.error)
    if exit_report and code == _FLUSH_FAILED:
        message = f"{exit_report.describe()}: Python could not write out its streams at the end"
        return Ending(Outcome.CODE_ERROR, CodeError("ProcessEnded", message))
    if code:
        # Python came to its end and knew of no error, so the code has raised SystemExit.
        return Ending(Outcome.CODE_ERROR, CodeError("SystemExit", str(code)))
    return Ending(Outcome.SUCCEEDED)


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
        return CodeError(
            "MemoryExceeded", "The worker was killed for memory while it loaded its data"
        )
    return CodeError("ProcessEnded", f"{exit_report.describe()} before it ran code")
