"""How a run ends: its worker exits or is stopped, and the result is written."""

from __future__ import annotations

from collections.abc import Mapping

from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.effects import (
    AbandonLauncher,
    CloseLink,
    DigestSource,
    SendToWorker,
    StopWorker,
)
from assay_runner.supervisor.ending import Ending, Outcome, Stop, decide
from assay_runner.supervisor.job_files import files_of
from assay_runner.supervisor.phases import AFTER_WORKER, NOT_STARTED, Phase
from assay_runner.supervisor.result import result_members
from assay_runner.supervisor.run_state import RunState
from assay_runner.supervisor.snapshot_digest import SourceDigest
from assay_runner.supervisor.snapshot_job import SnapshotJob
from assay_runner.supervisor.worker_messages import CodeError
from assay_runner.workers import Worker

# How long a launcher may take to report after the grace period before it is abandoned.
LAUNCHER_REPORT_SECONDS = 10.0
# How long a launcher may take to hand over files. It stops a few seconds earlier by itself.
MAX_COLLECTION_SECONDS = 15.0
_NOTHING = "No files were collected: the worker's container has ended."
_NOT_ALL = "Some files may be missing: the worker's container ended while they were collected."
_LATE = "Some files may be missing: collecting them took too long."
_NOT_KEPT = "Frames were not kept: the worker ended before it had written them."


class RunEnd:
    """Ends a run, without any I/O.

    Args:
        state: of the run.
        worker: what runs it.
    """

    def __init__(self, state: RunState, worker: Worker) -> None:
        self._state = state
        self._flushes = worker.flushes
        self._memory_signal = worker.memory_signal
        self._ended_at = 0.0
        self._ending = Ending(Outcome.WORKER_LOST)
        self._too_late = False

    def stop(self, reason: Stop, now: Now) -> None:
        """Stop the worker, which is starting, running code or about to exit."""
        state = self._state
        state.stop = reason
        if not state.worker.connected:
            self.conclude(now)
        elif state.phase is Phase.RUNNING and self._flushes and state.worker.control_open:
            # SIGTERM would lose what it has buffered. The launcher needs the other half of the time
            # to learn where a worker is that cannot answer.
            state.want(SendToWorker({"type": "stop"}))
            state.enter(Phase.FLUSHING, now.seconds + self._half_grace())
        else:
            self._end_worker(state.limits.stop_grace_ms / 1000, now)

    def worker_has_flushed(self, now: Now) -> None:
        """The worker has flushed its output, as `stop` requested."""
        self._end_worker(self._state.left_of_phase(now) + self._half_grace(), now)

    def worker_has_reported(self, now: Now) -> None:
        """The worker has sent its result and is about to exit.

        The time limit still applies: Python finalizes the objects of the code, and writes the
        frames that are kept.
        """
        state = self._state
        began_at = now.seconds if state.worker.started_at is None else state.worker.started_at
        left = state.limits.timeout_ms / 1000 - (now.seconds - began_at)
        state.enter(Phase.FINALIZING, now.seconds + max(left, self._half_grace()))

    def worker_has_ended(self, now: Now) -> None:
        """The worker has exited, or the launcher is lost."""
        if self._state.phase not in NOT_STARTED and self._state.phase not in AFTER_WORKER:
            self.conclude(now)

    def collected(self, note: str | None, now: Now) -> None:
        """The launcher has handed over all files."""
        self._end_collection(note, now)

    def launcher_is_lost(self, now: Now) -> None:
        """The launcher has disconnected."""
        if self._state.phase is Phase.COLLECTING:
            self._end_collection(_LATE if self._too_late else _NOT_ALL, now)
        else:
            self.worker_has_ended(now)

    def time_is_up(self, now: Now) -> None:
        """The time of the phase has passed."""
        match self._state.phase:
            case Phase.STARTING:
                self.stop(Stop.START_DEADLINE, now)
            case Phase.RUNNING:
                self.stop(Stop.DEADLINE, now)
            case Phase.FLUSHING:
                self._end_worker(self._half_grace(), now)
            case Phase.FINALIZING:
                self._stop_finalizing(now)
            case phase:
                self._too_late = phase is Phase.COLLECTING
                self._state.wait_without_limit()
                self._state.want(AbandonLauncher())

    def _stop_finalizing(self, now: Now) -> None:
        worker = self._state.worker
        succeeded = worker.result is not None and worker.result.error is None
        # A frame that is not kept in time is named in the result; the code itself has ended.
        keeping = worker.keeps and worker.kept is None
        if succeeded and not keeping and worker.started_at is not None:
            self._state.stop = Stop.DEADLINE
        self._end_worker(self._half_grace(), now)

    def conclude(self, now: Now) -> None:
        """Decide how the run ended, and write the result if nothing else is needed for it."""
        state = self._state
        self._ended_at = now.seconds
        self._ending = decide(
            started=state.worker.started_at is not None,
            stop=state.stop,
            result=state.worker.result,
            exit_report=state.worker.exit,
            memory_signal=self._memory_signal,
        )
        if state.collection is None:
            self._write_result(now)
        elif state.worker.exit is None:
            self._end_collection(None if state.worker.started_at is None else _NOTHING, now)
        else:
            state.output.flush(now)
            state.enter(Phase.COLLECTING, now.seconds + MAX_COLLECTION_SECONDS)

    def _end_collection(self, note: str | None, now: Now) -> None:
        worker, collection = self._state.worker, self._state.collection
        if collection is not None:
            if worker.keeps and worker.started_at is not None:
                collection.note(_NOT_KEPT if worker.kept is None else worker.kept.note)
            collection.note(note)
        self._write_result(now)

    def _write_result(self, now: Now) -> None:
        """Write the result, unless it needs a digest first."""
        state, ending, job = self._state, self._ending, self._state.job
        if ending.outcome is not Outcome.SUCCEEDED or not isinstance(job, SnapshotJob):
            self._finish(ending, None, now)
        elif state.worker.description is None:
            self._finish(_incomplete("The worker ended without a description"), None, now)
        else:
            state.enter(Phase.DIGESTING, None)
            state.want(DigestSource(job.format))

    def digested(self, digest: SourceDigest | OSError, now: Now) -> None:
        """The digest of the snapshot's source was computed, or could not be."""
        if self._state.phase is not Phase.DIGESTING:
            return
        if isinstance(digest, OSError):
            self._finish(_incomplete(f"The snapshot has no source: {digest}"), None, now)
            return
        description = self._state.worker.description or {}
        value = dict(description, sha256=digest.sha256, bytes=digest.size)
        self._finish(Ending(Outcome.SUCCEEDED), value, now)

    def _half_grace(self) -> float:
        return self._state.limits.stop_grace_ms / 2000

    def _end_worker(self, grace: float, now: Now) -> None:
        self._state.want(StopWorker(round(grace * 1000)))
        self._state.enter(Phase.STOPPING, now.seconds + grace + LAUNCHER_REPORT_SECONDS)

    def _finish(self, ending: Ending, description: Mapping[str, object] | None, now: Now) -> None:
        """Write the result; later requests have no effect on it."""
        state = self._state
        state.want(CloseLink())
        state.end_output(now)
        files = {}
        if files_of(state.job).collect is not None:
            files["artifactsMessage"] = state.collection.message if state.collection else None
        returns_json = not isinstance(state.job, SnapshotJob)
        members = result_members(
            ending,
            state.worker,
            description=description,
            json_text=state.worker.json_text if returns_json else None,
            output=state.output.summary(),
            ended_at=self._ended_at,
            files=files,
        )
        state.log.append("result", now.epoch_ms, members)
        state.enter(Phase.FINISHED, None)


def _incomplete(message: str) -> Ending:
    return Ending(Outcome.CODE_ERROR, CodeError("SnapshotIncomplete", message))
