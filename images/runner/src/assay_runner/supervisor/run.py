"""The run of this Pod as a state machine: it is told what happens, and says what is to be done."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from assay_runner.frames import FrameError, Message
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.effects import (
    AbandonLauncher,
    CloseLink,
    CopyOutput,
    DigestSource,
    Effect,
    EndCopy,
    LogStep,
    SendToWorker,
    StopWorker,
)
from assay_runner.supervisor.ending import Ending, Outcome, Stop, decide
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.jobs import SnapshotJob
from assay_runner.supervisor.output import Output
from assay_runner.supervisor.phases import AFTER_WORKER, BEFORE_START, Phase
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.result import result_members
from assay_runner.supervisor.snapshot_digest import SourceDigest
from assay_runner.supervisor.staged_job import StagedJob
from assay_runner.supervisor.uploads import Uploads
from assay_runner.supervisor.worker_messages import (
    CodeError,
    WorkerResult,
    failure,
    launcher_exit,
    ready_timings,
    worker_result,
)
from assay_runner.supervisor.worker_progress import WorkerProgress

# How long a launcher may take to report after the grace period before it is abandoned.
LAUNCHER_REPORT_SECONDS = 10.0
# How long Python may take to exit after the script has ended, within the time limit.
MAX_FINALIZATION_SECONDS = 5.0
# What events may take besides the output that a job may keep: 31,000 of them without data.
_OTHER_EVENT_BYTES = 16 * 1024 * 1024


class Run:
    """The run of this Pod, without any I/O.

    Each method tells it of one thing that has happened. Then `take_effects` returns what is to be
    done about it, and `deadline` says when to call `tick`.

    Args:
        config: the supervisor's settings.
        uploads: the upload that a job may read.
    """

    def __init__(self, config: Config, uploads: Uploads) -> None:
        self._config = config
        self.log = EventLog(config.spool_limit_bytes + _OTHER_EVENT_BYTES)
        self._output = Output(self.log, config.spool_limit_bytes)
        self._effects: deque[Effect] = deque()
        self._phase = Phase.IDLE
        self._phase_ends_at: float | None = None
        self._staged = StagedJob(config, uploads)
        self._start_at = 0.0
        self._ended_at = 0.0
        self._stop: Stop | None = None
        self._worker = WorkerProgress()

    @property
    def phase(self) -> Phase:
        """What the run waits for."""
        return self._phase

    @property
    def run_uid(self) -> str | None:
        """UID of the staged run."""
        return self._staged.run_uid

    @property
    def ready(self) -> bool:
        """Whether the worker has loaded its libraries and data and waits for code."""
        return self._worker.timings is not None and not self._worker.ended

    @property
    def deadline(self) -> float | None:
        """When to call `tick`, on the monotonic clock."""
        deadlines = [at for at in (self._phase_ends_at, self._output.due_at) if at is not None]
        return min(deadlines, default=None)

    def take_effects(self) -> list[Effect]:
        """Return what is to be done, each once."""
        effects = list(self._effects)
        self._effects.clear()
        return effects

    # Requests of the operator. The caller has checked signature, identity and age.

    def stage(self, request: Request, now: Now) -> None:
        """Accept the job; a repeat of the same bytes has no effect.

        Raises:
            Refusal: RunMismatch, BytesChanged, WrongKind or UploadMismatch.
        """
        if self._staged.accept(request):
            self._enter(Phase.STAGED, None)
            limit = self._staged.job.limits.output_bytes
            self._output.limit = min(limit, self._config.spool_limit_bytes)
            self._log_step("staged", now)

    def start(self, request: Request, now: Now) -> None:
        """Start the staged job; a repeat has no effect.

        Raises:
            Refusal: NotStaged, RunMismatch or Expired.
        """
        staged = self._staged.check(request)
        if self._phase is not Phase.STAGED:
            return
        if staged.not_after_ms < now.epoch_ms:
            raise Refusal(Code.EXPIRED, "the staged job has expired (notAfter)")
        self._start_at = now.seconds
        if self._worker.ended:
            self._conclude(now)
        elif self._worker.result is not None:
            self._finalize(now)
        else:
            start_timeout = self._staged.job.limits.start_timeout_ms / 1000
            self._enter(Phase.STARTING, now.seconds + start_timeout)
            if self._worker.timings is not None:
                self._send_job(now)

    def attach(self, request: Request) -> None:
        """Check that there is an event stream.

        Raises:
            Refusal: NotStaged, RunMismatch or NotStarted.
        """
        self._staged.check(request)
        if self._phase is Phase.STAGED:
            raise Refusal(Code.NOT_STARTED, "the run has not been started")

    def cancel(self, request: Request, now: Now) -> None:
        """Cancel the run; one that was not started will never start.

        Raises:
            Refusal: NotStaged or RunMismatch.
        """
        self._staged.check(request)
        if self._phase is Phase.STAGED:
            self._stop = Stop.CANCELLED
            self._conclude(now)
        elif self._phase in (Phase.STARTING, Phase.RUNNING):
            self._stop_for(Stop.CANCELLED, now)

    def acknowledge(self, request: Request) -> bool:
        """Drop events that the operator has stored; returns whether the result was one of them.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted or Malformed.
        """
        self.attach(request)
        if request.seq > self.log.last_seq:
            raise Refusal(Code.MALFORMED, "seq is higher than that of the last event")
        self.log.forget(request.seq)
        return self._phase is Phase.FINISHED and request.seq == self.log.last_seq

    # Launcher and worker.

    def launcher_connected(self, worker: str) -> None:
        """The launcher has connected and started this worker.

        Raises:
            FrameError: if it is not the worker that this Pod is for.
        """
        self._worker.connected = self._worker.control_open = True
        if worker != self._config.worker_name:
            message = f"The launcher runs a {worker[:64]} worker in a Pod for "
            message += self._config.worker_name
            self._worker.result = WorkerResult(CodeError("WrongWorker", message))
            raise FrameError(message)

    def output_received(self, data: bytes, now: Now) -> None:
        """The worker has written output."""
        if self._phase is Phase.FINISHED:
            return
        kept = self._output.add(data, now)
        if kept:
            self._effects.append(CopyOutput(kept))

    def worker_message(self, message: Message, now: Now) -> None:
        """The worker has sent `ready`, `started`, `stopped` or `result`.

        Raises:
            FrameError: if the message is invalid or is not expected now; the worker can send no
                other then.
        """
        message_type = message.get("type")
        if message_type not in self._worker.expected_messages(self._phase):
            raise FrameError(f"did not expect {message_type!r}")
        if message_type == "ready":
            self._worker.timings = ready_timings(message)
            if self._phase is Phase.STARTING:
                self._send_job(now)
        elif message_type == "started":
            self._started(self._worker.timings or {}, now)
        elif message_type == "stopped":
            left = max((self._phase_ends_at or 0) - now.seconds, 0)
            self._end_worker(left + self._half_grace(), now)
        else:
            self._worker.result = worker_result(message)
            # The worker is about to exit. Even if the result was forged, the run is over.
            if self._phase in (Phase.STARTING, Phase.RUNNING):
                self._finalize(now)

    def control_closed(self) -> None:
        """The control socket was closed: the worker sends and receives nothing any more."""
        self._worker.control_open = False

    def launcher_message(self, message: Message, now: Now) -> None:
        """The launcher reports that the worker has exited, or could not be handed over.

        Everything that the worker has sent and written must have been reported before.

        Raises:
            FrameError: if it says something else, or if it is of no further use.
        """
        if message.get("type") == "failed" and not self._worker.connected:
            self._worker.result = WorkerResult(CodeError("HandoverFailed", failure(message)))
            raise FrameError("the launcher failed")
        if message.get("type") != "exited" or self._worker.ended:
            raise FrameError("expected exited")
        self._worker.exit = launcher_exit(message)
        self._worker_has_ended(now)

    def launcher_lost(self, now: Now) -> None:
        """The launcher is disconnected, and everything that the worker sent has been reported."""
        if not self._worker.ended:
            self._worker.launcher_gone = True
            self._worker_has_ended(now)

    # Everything else.

    def tick(self, now: Now) -> None:
        """`deadline` has passed."""
        self._output.emit_due(now)
        if self._phase_ends_at is None or now.seconds < self._phase_ends_at:
            return
        match self._phase:
            case Phase.STARTING:
                self._stop_for(Stop.START_DEADLINE, now)
            case Phase.RUNNING:
                self._stop_for(Stop.DEADLINE, now)
            case Phase.FLUSHING:
                self._end_worker(self._half_grace(), now)
            case Phase.FINALIZING:
                self._end_worker(0, now)
            case _:
                self._phase_ends_at = None
                self._effects.append(AbandonLauncher())

    def digested(self, digest: SourceDigest | OSError, now: Now) -> None:
        """The digest of the snapshot's source was computed, or could not be."""
        if self._phase is not Phase.DIGESTING:
            return
        if isinstance(digest, OSError):
            self._finish(_incomplete(f"The snapshot has no source: {digest}"), None, now)
            return
        value = dict(self._worker.description or {}, sha256=digest.sha256, bytes=digest.size)
        self._finish(Ending(Outcome.SUCCEEDED), value, now)

    def shut_down(self, now: Now) -> None:
        """The supervisor is about to exit: no event comes any more."""
        if self._phase is not Phase.FINISHED:
            self._end_output(now)
        self.log.close()

    def _started(self, timings: Mapping[str, int], now: Now) -> None:
        self._worker.started_at = now.seconds
        self._output.flush(now)
        self._log_step("started", now)
        waited = round((now.seconds - self._start_at) * 1000)
        self.log.append("started", now.epoch_ms, {"timings": {**timings, "waitedMs": waited}})
        if self._phase is Phase.STARTING:
            self._enter(Phase.RUNNING, now.seconds + self._staged.job.limits.timeout_ms / 1000)

    def _send_job(self, now: Now) -> None:
        self._log_step("sent", now)
        self._worker.has_job = True
        job = self._staged.job
        message = {"type": "job", "kind": job.kind, **job.message()}
        self._effects.append(SendToWorker(message))

    def _stop_for(self, reason: Stop, now: Now) -> None:
        self._stop = reason
        grace = self._staged.job.limits.stop_grace_ms / 1000
        if not self._worker.connected:
            self._conclude(now)
        elif (
            self._phase is Phase.RUNNING
            and self._config.worker.flushes
            and self._worker.control_open
        ):
            # SIGTERM would lose what it has buffered. The launcher needs the other half of the time
            # to learn where a worker is that cannot answer.
            self._effects.append(SendToWorker({"type": "stop"}))
            self._enter(Phase.FLUSHING, now.seconds + self._half_grace())
        else:
            self._end_worker(grace, now)

    def _half_grace(self) -> float:
        return self._staged.job.limits.stop_grace_ms / 2000

    def _finalize(self, now: Now) -> None:
        limits = self._staged.job.limits
        began_at = now.seconds if self._worker.started_at is None else self._worker.started_at
        left = limits.timeout_ms / 1000 - (now.seconds - began_at)
        wait = max(min(left, MAX_FINALIZATION_SECONDS), limits.stop_grace_ms / 1000)
        self._enter(Phase.FINALIZING, now.seconds + wait)

    def _end_worker(self, grace: float, now: Now) -> None:
        self._effects.append(StopWorker(round(grace * 1000)))
        self._enter(Phase.STOPPING, now.seconds + grace + LAUNCHER_REPORT_SECONDS)

    def _worker_has_ended(self, now: Now) -> None:
        if self._phase not in BEFORE_START and self._phase not in AFTER_WORKER:
            self._conclude(now)

    def _conclude(self, now: Now) -> None:
        """Decide how the run ended, and write the result if nothing else is needed for it."""
        self._ended_at = now.seconds
        ending = decide(
            started=self._worker.started_at is not None,
            stop=self._stop,
            result=self._worker.result,
            exit_report=self._worker.exit,
        )
        job = self._staged.job
        if ending.outcome is not Outcome.SUCCEEDED or not isinstance(job, SnapshotJob):
            self._finish(ending, None, now)
        elif self._worker.description is None:
            self._finish(_incomplete("The worker ended without a description"), None, now)
        else:
            self._enter(Phase.DIGESTING, None)
            self._effects.append(DigestSource(job.format))

    def _finish(self, ending: Ending, description: Mapping[str, object] | None, now: Now) -> None:
        """Write the result; later requests have no effect on it."""
        self._effects.append(CloseLink())
        self._end_output(now)
        returns_json = not isinstance(self._staged.job, SnapshotJob)
        members = result_members(
            ending,
            self._worker,
            description=description,
            json_text=self._worker.json_text if returns_json else None,
            output=self._output.summary(),
            ended_at=self._ended_at,
        )
        self.log.append("result", now.epoch_ms, members)
        self._enter(Phase.FINISHED, None)

    def _end_output(self, now: Now) -> None:
        self._output.flush(now)
        self._effects.append(EndCopy(printed=self._output.total, mirrored=self._output.stored))

    def _log_step(self, step: str, now: Now) -> None:
        self._effects.append(LogStep(step, self._staged.run_uid or "", now.epoch_ms))

    def _enter(self, phase: Phase, ends_at: float | None) -> None:
        self._phase = phase
        self._phase_ends_at = ends_at


def _incomplete(message: str) -> Ending:
    return Ending(Outcome.CODE_ERROR, CodeError("SnapshotIncomplete", message))
