"""The run of this Pod: its states, timers and events."""

from __future__ import annotations

import asyncio
import enum
import time
from collections.abc import Callable, Mapping

from assay_runner.frames import FrameError, Message
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.ending import Ending, Outcome, Stop, decide
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.launcher_link import LauncherLink
from assay_runner.supervisor.mirror import Mirror
from assay_runner.supervisor.output import Output
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Limits, Request, SnapshotJob
from assay_runner.supervisor.snapshot_digest import digest_source
from assay_runner.supervisor.step_log import write_small_pipe, write_step
from assay_runner.supervisor.uploads import Uploads
from assay_runner.supervisor.worker_messages import (
    CodeError,
    Exit,
    WorkerResult,
    failure,
    launcher_exit,
    ready_timings,
    worker_result,
)
from assay_runner.text import MAX_TYPE_BYTES, cut_middle

# How long a launcher may take to report after the grace period before it is abandoned.
_LAUNCHER_REPORT_SECONDS = 10.0
# How long Python may take to exit after the script has ended, within the time limit.
_MAX_FINALIZATION_MS = 5000.0
_NO_USAGE: Mapping[str, object] = {"cpuMs": 0, "peakMemoryBytes": 0}


class State(enum.Enum):
    """The state of the run."""

    IDLE = "Idle"
    STAGED = "Staged"
    STARTED = "Started"
    FINISHED = "Finished"


class Run:
    """The state machine of the run; a `LinkListener` for events of launcher and worker.

    Args:
        config: the supervisor's settings.
        mirror: receives a copy of the output, if set.
    """

    def __init__(self, config: Config, mirror: Mirror | None) -> None:
        self._config = config
        self._loop = asyncio.get_running_loop()
        self.log = EventLog()
        self.uploads = Uploads(config.snapshot_dir, config.upload_limit_bytes)
        self._output = Output(self.log, config.spool_limit_bytes, mirror)
        self._link = LauncherLink(config.socket_path, self)
        self._state = State.IDLE
        self._staged: Request | None = None
        self._timings: dict[str, int] | None = None
        self._connected = False
        self._launcher_gone = False
        self._exit: Exit | None = None
        self._result: WorkerResult | None = None
        self._stop: Stop | None = None
        self._start_at = 0.0
        self._first_instruction_at: float | None = None
        self._ending = False
        self._kill_at: float | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._finishing: asyncio.Task[None] | None = None
        self.result_acknowledged = asyncio.Event()

    @property
    def state(self) -> State:
        """The state of the run."""
        return self._state

    @property
    def run_uid(self) -> str | None:
        """UID of the staged run."""
        return self._staged.run_uid if self._staged else None

    @property
    def ready(self) -> bool:
        """Whether the worker has loaded its libraries and data and waits for code."""
        return self._timings is not None and self._exit is None and not self._launcher_gone

    def listen(self) -> None:
        """Listen for the launcher."""
        self._link.listen()

    # Requests of the operator. The caller has checked signature, identity and age.

    def stage(self, request: Request) -> None:
        """Accept the job; a repeat of the same bytes has no effect.

        Raises:
            Refusal: RunMismatch, BytesChanged, WrongKind or UploadMismatch.
        """
        if self._staged is not None:
            self._check_run(request)
            if request.body != self._staged.body:
                raise Refusal(Code.BYTES_CHANGED, "this run was staged with a different body")
            return
        if request.job is None or request.job.kind != self._config.kind:
            raise Refusal(Code.WRONG_KIND, f"this Pod runs jobs of kind {self._config.kind}")
        upload = request.job.upload if isinstance(request.job, SnapshotJob) else None
        self.uploads.seal(request.run_uid, upload)
        self._staged = request
        self._log_step("staged")
        self._output.limit = min(request.job.limits.output_bytes, self._config.spool_limit_bytes)
        self._state = State.STAGED

    def start(self, request: Request) -> None:
        """Start the staged job; a repeat has no effect.

        Raises:
            Refusal: NotStaged, RunMismatch or Expired.
        """
        staged = self._check_run(request)
        if self._state is not State.STAGED:
            return
        if staged.not_after_ms < time.time() * 1000:
            raise Refusal(Code.EXPIRED, "the staged job has expired (notAfter)")
        self._state = State.STARTED
        self._start_at = self._loop.time()
        if self._exit is not None or self._launcher_gone:
            self._finish()
            return
        self._after(self._job_limits().start_timeout_ms, self._stop_for, Stop.START_DEADLINE)
        if self._timings is not None:
            self._send_job()

    def attach(self, request: Request) -> None:
        """Check that there is an event stream.

        Raises:
            Refusal: NotStaged, RunMismatch or NotStarted.
        """
        self._check_run(request)
        if self._state is State.STAGED:
            raise Refusal(Code.NOT_STARTED, "the run has not been started")

    def cancel(self, request: Request) -> None:
        """Cancel the run; one that was not started will never start.

        Raises:
            Refusal: NotStaged or RunMismatch.
        """
        self._check_run(request)
        if self._state is State.STAGED:
            self._state = State.STARTED
            self._start_at = self._loop.time()
            self._stop = Stop.CANCELLED
            self._finish()
        elif self._state is State.STARTED:
            self._stop_for(Stop.CANCELLED)

    def acknowledge(self, request: Request) -> None:
        """Drop events that the operator has stored.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted or Malformed.
        """
        self.attach(request)
        if request.seq > self.log.last_seq:
            raise Refusal(Code.MALFORMED, "seq is higher than that of the last event")
        self.log.forget(request.seq)
        if self.log.ended and request.seq == self.log.last_seq:
            self.result_acknowledged.set()

    def shut_down(self) -> None:
        """Disconnect the launcher and emit all output that has arrived."""
        self._link.drain()
        self._output.end()
        self._link.close()
        self.log.close()

    # Events of launcher and worker (LinkListener).

    def launcher_connected(self, worker: str) -> None:
        """Check that the launcher runs the kind of worker that this Pod is for."""
        self._connected = True
        if worker != self._config.kind:
            message = f"The launcher runs a {worker[:64]} worker in a Pod for {self._config.kind}"
            self._result = WorkerResult(CodeError("WrongWorker", message), None)
            raise FrameError(message)

    def pipe_is_small(self, size: int, reason: str) -> None:
        """Log why output is slower, for the administrator of the node."""
        write_small_pipe(
            pod_uid=self._config.pod_uid, size=size, reason=cut_middle(reason, MAX_TYPE_BYTES)
        )

    def output_received(self, data: bytes) -> None:
        """Collect output of the worker."""
        self._output.add(data)

    def worker_message(self, message: Message) -> None:
        """Handle `ready`, `started`, `stopped` and `result`: in this order, each at most once."""
        message_type = message.get("type")
        if message_type not in self._expected_messages():
            raise FrameError(f"did not expect {message_type!r}")
        if message_type == "ready":
            self._timings = ready_timings(message)
            if self._state is State.STARTED and not self._ending:
                self._send_job()
        elif message_type == "started":
            self._first_instruction()
        elif message_type == "stopped":
            self._end_flushed_worker()
        else:
            self._result = worker_result(message)
            # The worker is about to exit. Even if the result was forged, the run is over.
            if self._state is State.STARTED and not self._ending:
                self._after(self._finalization_ms(), self._end_worker, 0)

    def launcher_message(self, message: Message) -> None:
        """Handle the report that the worker exited, or could not be handed over."""
        if message.get("type") == "failed" and not self._connected:
            self._result = WorkerResult(CodeError("HandoverFailed", failure(message)), None)
            raise FrameError("the launcher failed")
        if message.get("type") != "exited" or self._exit is not None:
            raise FrameError("expected exited")
        self._exit = launcher_exit(message)
        self._link.drain()
        if self._state is State.STARTED:
            self._finish()

    def launcher_lost(self) -> None:
        """Finish the run without a report."""
        self._launcher_gone = True
        if self._state is State.STARTED:
            self._finish()

    def _expected_messages(self) -> tuple[str, ...]:
        if self._result is not None:
            return ()
        if self._timings is None:
            return ("ready", "result")
        if self._first_instruction_at is None:
            return ("started", "result")
        if self._kill_at is not None:
            return ("stopped", "result")
        return ("result",)

    def _first_instruction(self) -> None:
        if self._state is not State.STARTED or self._timings is None:
            raise FrameError("started without a start")
        self._first_instruction_at = self._loop.time()
        waited = round((self._first_instruction_at - self._start_at) * 1000)
        self._output.flush()
        self._log_step("started")
        self.log.append("started", {"timings": {**self._timings, "waitedMs": waited}})
        if not self._ending:
            self._cancel_timers()
            self._after(self._job_limits().timeout_ms, self._stop_for, Stop.DEADLINE)

    def _send_job(self) -> None:
        if self._staged is not None and self._staged.job is not None:
            self._log_step("sent")
            self._link.send_to_worker(self._staged.job.message())

    def _stop_for(self, reason: Stop) -> None:
        """End the worker, unless it has sent its result."""
        if self._ending or self._result is not None:
            return
        self._stop = reason
        if not self._connected:
            self._finish()
            return
        if not self._flush_worker():
            self._end_worker(self._job_limits().stop_grace_ms)

    def _flush_worker(self) -> bool:
        """Ask the worker to flush buffered output, since SIGTERM would lose it."""
        runs_code = self._config.snapshot_dir is None and self._first_instruction_at is not None
        if not runs_code or not self._link.send_to_worker({"type": "stop"}):
            return False
        self._ending = True
        self._cancel_timers()
        grace_ms = self._job_limits().stop_grace_ms
        self._kill_at = self._loop.time() + grace_ms / 1000
        self._after(grace_ms, self._end_flushed_worker)
        return True

    def _end_flushed_worker(self) -> None:
        if self._kill_at is not None:
            left_ms = max(self._kill_at - self._loop.time(), 0) * 1000
            self._kill_at = None
            self._end_worker(round(left_ms))

    def _finalization_ms(self) -> float:
        limits = self._job_limits()
        began_at = self._first_instruction_at or self._loop.time()
        left_ms = limits.timeout_ms - (self._loop.time() - began_at) * 1000
        return max(min(left_ms, _MAX_FINALIZATION_MS), limits.stop_grace_ms)

    def _end_worker(self, grace_ms: int) -> None:
        self._ending = True
        self._cancel_timers()
        self._link.stop(grace_ms)
        report_ms = grace_ms + _LAUNCHER_REPORT_SECONDS * 1000
        self._after(report_ms, self._abandon_launcher)

    def _abandon_launcher(self) -> None:
        self._link.drain()
        self._link.close()
        self.launcher_lost()

    def _finish(self) -> None:
        """Write the result; later requests have no effect on it."""
        if self._finishing is not None:
            return
        self._ending = True
        self._cancel_timers()
        ended_at = self._loop.time()
        self._finishing = self._loop.create_task(self._write_result(ended_at))

    async def _write_result(self, ended_at: float) -> None:
        ending = decide(
            started=self._first_instruction_at is not None,
            stop=self._stop,
            result=self._result,
            exit_report=self._exit,
        )
        value: object = None
        if ending.outcome is Outcome.SUCCEEDED and self._config.snapshot_dir is not None:
            ending, value = await self._snapshot_value(self._config.snapshot_dir)
        self._link.close()
        self._output.end()
        began_at = self._first_instruction_at
        exit_report = self._exit
        self.log.append(
            "result",
            {
                "outcome": ending.outcome.value,
                "error": ending.error.members() if ending.error else None,
                "exit": {
                    "code": exit_report.code if exit_report else None,
                    "signal": exit_report.signal if exit_report else None,
                },
                "value": value,
                "output": self._output.summary(),
                "usage": {
                    "cpuMs": exit_report.cpu_ms,
                    "peakMemoryBytes": exit_report.peak_memory_bytes,
                }
                if exit_report
                else _NO_USAGE,
                "durationMs": 0 if began_at is None else round((ended_at - began_at) * 1000),
            },
        )
        self._state = State.FINISHED

    async def _snapshot_value(self, directory: str) -> tuple[Ending, object]:
        """Return the ending and the description, with the digest that this process computed."""
        job = self._staged.job if self._staged else None
        value = self._result.value if self._result else None
        if not isinstance(job, SnapshotJob) or not isinstance(value, dict):
            error = CodeError("SnapshotIncomplete", "The worker ended without a description")
            return Ending(Outcome.CODE_ERROR, error), None
        try:
            digest = await asyncio.to_thread(digest_source, directory, job.format)
        except OSError as problem:
            error = CodeError("SnapshotIncomplete", f"The snapshot has no source: {problem}")
            return Ending(Outcome.CODE_ERROR, error), None
        value.update(sha256=digest.sha256, bytes=digest.size)
        return Ending(Outcome.SUCCEEDED), value

    def _log_step(self, event: str) -> None:
        if self._staged is not None:
            write_step(event, run_uid=self._staged.run_uid, pod_uid=self._config.pod_uid)

    def _check_run(self, request: Request) -> Request:
        if self._staged is None:
            raise Refusal(Code.NOT_STAGED, "no run was staged")
        if request.run_uid != self._staged.run_uid:
            raise Refusal(Code.RUN_MISMATCH, "this Pod belongs to another run")
        return self._staged

    def _job_limits(self) -> Limits:
        if self._staged is None or self._staged.job is None:
            raise RuntimeError("no run was staged")
        return self._staged.job.limits

    def _after(self, delay_ms: float, action: Callable[..., None], *arguments: object) -> None:
        self._timers.append(self._loop.call_later(delay_ms / 1000, action, *arguments))

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
