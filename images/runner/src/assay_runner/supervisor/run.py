"""The run of this Pod as a state machine: it is told what happens, and says what is to be done."""

from __future__ import annotations

from assay_runner.frames import FrameError, Message
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.collection import Collection
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.effects import (
    AbandonLauncher,
    CopyOutput,
    Effect,
    EndWorker,
    HandOverDatasets,
    SendToolResult,
)
from assay_runner.supervisor.ending import Stop
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.inputs import Inputs
from assay_runner.supervisor.phases import Phase
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.run_end import RunEnd
from assay_runner.supervisor.run_start import RunStart
from assay_runner.supervisor.run_state import RunState
from assay_runner.supervisor.snapshot_digest import SourceDigest
from assay_runner.supervisor.snapshots import Snapshots
from assay_runner.supervisor.uploads import Uploads
from assay_runner.supervisor.worker_messages import (
    CodeError,
    WorkerResult,
    announced_exit_code,
    collection_note,
    failure,
    kept_frames,
    launcher_exit,
    ready_timings,
    tool_call,
    worker_result,
)


class Run:
    """The run of this Pod, without any I/O.

    Each method tells it of one thing that has happened. Then `take_effects` returns what is to be
    done about it, and `deadline` says when to call `tick`.

    Args:
        config: the supervisor's settings.
        uploads: the upload that a job may read.
        inputs: the inputs that a job may have.
        snapshots: those that a job may read.
    """

    def __init__(
        self, config: Config, uploads: Uploads, inputs: Inputs, snapshots: Snapshots
    ) -> None:
        self._config = config
        self._state = RunState(config, uploads, inputs, snapshots)
        self._worker = self._state.worker
        self._staged = self._state.staged
        self._begin = RunStart(self._state)
        self._end = RunEnd(self._state, config.worker)
        self._calls = self._state.calls

    @property
    def log(self) -> EventLog:
        """The events."""
        return self._state.log

    @property
    def phase(self) -> Phase:
        """What the run waits for."""
        return self._state.phase

    @property
    def run_uid(self) -> str | None:
        """UID of the staged run."""
        return self._staged.run_uid

    @property
    def snapshots(self) -> str | None:
        """SHA-256 of the snapshots that the supervisor opens for the staged run."""
        return self._staged.snapshots

    @property
    def ready(self) -> bool:
        """Whether the worker has loaded its libraries and data and waits for code."""
        return self._worker.timings is not None and not self._worker.ended

    @property
    def deadline(self) -> float | None:
        """When to call `tick`, on the monotonic clock."""
        return self._state.deadline

    def take_effects(self) -> list[Effect]:
        """Return what is to be done, each once."""
        return self._state.take_effects()

    # Requests of the operator. The caller has checked signature, identity and age.

    def stage(self, request: Request, now: Now) -> None:
        """Accept the job; a repeat of the same bytes has no effect.

        Raises:
            Refusal: RunMismatch, BytesChanged, WrongKind, UploadMismatch, NotFound, TooLarge or
                Refused.
        """
        self._require_not_refused()
        if self._staged.accept(request):
            self._state.enter(Phase.STAGED, None)
            limit = self._state.limits.output_bytes
            self._state.output.limit = min(limit, self._config.spool_limit_bytes)
            self._state.log_step("staged", now)
            if self._staged.brings_datasets:
                self._worker.lacks_datasets = True
                if self._worker.connected:
                    self._state.want(HandOverDatasets())

    def start(self, request: Request, now: Now) -> None:
        """Start the staged job; a repeat has no effect.

        Raises:
            Refusal: NotStaged, RunMismatch or Refused.
        """
        self._check(request)
        if self.phase is not Phase.STAGED:
            return
        self._state.start_at = now.seconds
        if self._worker.ended:
            self._end.conclude(now)
        elif self._worker.result is not None:
            self._end.worker_has_reported(now)
        else:
            start_timeout = self._state.limits.start_timeout_ms / 1000
            self._state.enter(Phase.STARTING, now.seconds + start_timeout)
            if self._worker.can_have_job:
                self._begin.send_job(now)

    def refuse(self, now: Now) -> None:
        """Start nothing from now on, whatever comes; a repeat has no effect.

        Raises:
            Refusal: Started.
        """
        if self.phase in (Phase.IDLE, Phase.STAGED):
            self._staged.close()
            self._state.enter(Phase.REFUSED, None)
            self._state.log_step("refused", now)
        elif self.phase is not Phase.REFUSED:
            raise Refusal(Code.STARTED, "the run was started, or cancelled before its start")

    def _require_not_refused(self) -> None:
        if self.phase is Phase.REFUSED:
            raise Refusal(Code.REFUSED, "this Pod was told to start nothing")

    def _check(self, request: Request) -> None:
        self._require_not_refused()
        self._staged.check(request)

    def attach(self, request: Request) -> None:
        """Check that there is an event stream.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted or Refused.
        """
        self._check(request)
        if self.phase is Phase.STAGED:
            raise Refusal(Code.NOT_STARTED, "the run has not been started")

    def cancel(self, request: Request, now: Now) -> None:
        """Cancel the run; one that was not started will never start.

        Raises:
            Refusal: NotStaged, RunMismatch or Refused.
        """
        self._check(request)
        if self.phase is Phase.STAGED:
            self._state.stop = Stop.CANCELLED
            self._end.conclude(now)
        elif self.phase in (Phase.STARTING, Phase.RUNNING, Phase.FINALIZING):
            self._end.stop(Stop.CANCELLED, now)

    def acknowledge(self, request: Request) -> bool:
        """Drop events that the operator has stored; returns whether the result was one of them.

        Their artifacts are stored, too: see `stored_artifacts`.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted, Refused or Malformed.
        """
        self.attach(request)
        if request.seq > self.log.last_seq:
            raise Refusal(Code.MALFORMED, "seq is higher than that of the last event")
        self.log.forget(request.seq)
        return self.phase is Phase.FINISHED and request.seq == self.log.last_seq

    def stored_artifacts(self, request: Request) -> int:
        """Return the number of the last artifact that an `ack` says is stored; 0 for none."""
        collection = self._state.collection
        return 0 if collection is None else collection.acknowledged(request.seq)

    def check_tool_result(self, request: Request) -> bool:
        """Check that the worker waits for the result of a call; returns False for a repeat.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted, Refused, BytesChanged, CallNotOpen or
                TooLarge.
        """
        self.attach(request)
        reachable = self.phase is Phase.RUNNING and self._worker.control_open
        return self._calls.expects(request.result, reachable=reachable)

    def tool_result(self, request: Request, data: bytes) -> None:
        """Give the worker the result of an open call; a repeat has no effect.

        Args:
            request: its head.
            data: the result, which has the length and the digest of the head.

        Raises:
            Refusal: NotStaged, RunMismatch, NotStarted, Refused, BytesChanged, CallNotOpen or
                TooLarge.
        """
        if self.check_tool_result(request):
            self._calls.answer(request.result)
            self._state.want(SendToolResult(request.result.call, data))

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
        if self._worker.lacks_datasets and self.phase is not Phase.REFUSED:
            self._state.want(HandOverDatasets())

    def handover_failed(self, reason: str) -> None:
        """The launcher could not be handed the datasets of the job."""
        message = f"could not hand over the datasets: {reason}"
        self._worker.result = WorkerResult(CodeError("HandoverFailed", message))
        self._state.want(AbandonLauncher())

    def _send_awaited_job(self, now: Now) -> None:
        if self.phase is Phase.STARTING and self._worker.can_have_job:
            self._begin.send_job(now)

    def output_received(self, data: bytes, now: Now) -> None:
        """The worker has written output."""
        if self.phase is Phase.FINISHED:
            return
        kept = self._state.output.add(data, now)
        if kept:
            self._state.want(CopyOutput(kept))

    def worker_message(self, message: Message, now: Now) -> None:
        """The worker has sent one of the messages that `WorkerProgress` expects.

        Raises:
            FrameError: if the message is invalid or is not expected now; the worker can send no
                other then.
        """
        message_type = message.get("type")
        if message_type not in self._worker.expected_messages(self.phase):
            raise FrameError(f"did not expect {message_type!r}")
        match message_type:
            case "ready":
                self._worker.timings = ready_timings(message)
                self._send_awaited_job(now)
            case "started":
                self._begin.announced(now)
            case "tool_call":
                call = tool_call(message)
                # Nobody answers one that was under way when the run was stopped.
                if self.phase is Phase.RUNNING:
                    self._calls.open(call, now)
            case "stopped":
                self._end.worker_has_flushed(now)
            case "kept":
                self._worker.kept = kept_frames(message)
            case "ended":
                self._worker.has_announced_end = True
                self._state.want(EndWorker(announced_exit_code(message)))
            case _:
                self._worker.result = worker_result(message)
                # The worker is about to exit. Even if the result was forged, the run is over.
                if self.phase in (Phase.STARTING, Phase.RUNNING):
                    self._end.worker_has_reported(now)

    def tool_result_sent(self) -> None:
        """The worker has been sent the whole result of a call."""
        self._calls.sent()

    def control_closed(self) -> None:
        """The control socket was closed: the worker sends and receives nothing any more."""
        self._worker.control_open = False

    def launcher_message(self, message: Message, now: Now) -> None:
        """The launcher reports the worker's exit, the end of work of its own, or a failure.

        Everything that the worker has sent and written must have been reported before.

        Raises:
            FrameError: if it says something else, or if it is of no further use.
        """
        if message.get("type") == "linked" and self._worker.lacks_datasets:
            self._worker.lacks_datasets = False
            self._send_awaited_job(now)
            return
        may_fail = not self._worker.connected or self._worker.lacks_datasets
        if message.get("type") == "failed" and may_fail:
            self._worker.result = WorkerResult(CodeError("HandoverFailed", failure(message)))
            raise FrameError("the launcher failed")
        if message.get("type") == "collected" and self.phase is Phase.COLLECTING:
            self._end.collected(collection_note(message), now)
            return
        if message.get("type") != "exited" or self._worker.ended:
            raise FrameError("expected exited")
        self._worker.exit = launcher_exit(message)
        self._end.worker_has_ended(now)

    def may_have_data(self, size: int) -> bool:
        """Return whether the event of the next collected file may have its bytes."""
        collection = self._open_collection
        return collection is not None and collection.may_have_data(size)

    def file_collected(
        self, path: str, size: int | None, data: bytes | None, now: Now
    ) -> int | None:
        """The launcher has opened a file that code has left; returns the artifact's number.

        Args:
            path: where it was, relative to the working directory.
            size: in bytes; None for what is not a regular file.
            data: its bytes, if its event may have them; None if they are to be fetched.
            now: the time.

        Returns:
            None if it is left out.
        """
        collection = self._open_collection
        return None if collection is None else collection.add(path, size, data, now)

    @property
    def _open_collection(self) -> Collection | None:
        """What receives files; None except while they are collected."""
        return self._state.collection if self.phase is Phase.COLLECTING else None

    def launcher_lost(self, now: Now) -> None:
        """The launcher is disconnected, and everything that the worker sent has been reported."""
        if not self._worker.ended or self.phase is Phase.COLLECTING:
            self._worker.launcher_gone = True
            self._end.launcher_is_lost(now)

    # Everything else.

    def tick(self, now: Now) -> None:
        """`deadline` has passed."""
        self._state.output.emit_due(now)
        if self._state.phase_is_over(now):
            self._end.time_is_up(now)

    def digested(self, digest: SourceDigest | OSError, now: Now) -> None:
        """The digest of the snapshot's source was computed, or could not be."""
        self._end.digested(digest, now)

    def shut_down(self, now: Now) -> None:
        """The supervisor is about to exit: no event comes any more."""
        if self.phase is not Phase.FINISHED:
            self._state.end_output(now)
        self.log.close()
