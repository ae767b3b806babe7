"""What is known of a run, and what is to be done about it."""

from __future__ import annotations

from collections import deque

from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.collection import Collection
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.effects import Effect, EndCopy, LogStep
from assay_runner.supervisor.ending import Stop
from assay_runner.supervisor.events import EventLog
from assay_runner.supervisor.inputs import Inputs
from assay_runner.supervisor.job import Job, Limits
from assay_runner.supervisor.output import Output
from assay_runner.supervisor.phases import Phase
from assay_runner.supervisor.snapshots import Snapshots
from assay_runner.supervisor.staged_job import StagedJob
from assay_runner.supervisor.tool_calls import ToolCalls
from assay_runner.supervisor.uploads import Uploads
from assay_runner.supervisor.worker_progress import WorkerProgress

# What events may take besides the output that a job may keep: 31,000 of them without data.
_OTHER_EVENT_BYTES = 16 * 1024 * 1024


class RunState:
    """The state of a run, which `Run` and `RunEnd` share.

    Args:
        config: the supervisor's settings.
        uploads: the upload that a job may read.
        inputs: the inputs that a job may have.
        snapshots: those that a job may read.

    Attributes:
        staged: the job.
        worker: how far launcher and worker have come.
        stop: why the supervisor ended the worker, if it did.
        log: the events.
        calls: the tools that code has called.
        output: what the worker has written.
        collection: the files that code leaves; None where none are collected.
        start_at: when `start` came, on the monotonic clock.
    """

    def __init__(
        self, config: Config, uploads: Uploads, inputs: Inputs, snapshots: Snapshots
    ) -> None:
        self.staged = StagedJob(config, uploads, inputs, snapshots)
        self.worker = WorkerProgress()
        self.stop: Stop | None = None
        self.log = EventLog(config.spool_limit_bytes + _OTHER_EVENT_BYTES)
        self.calls = ToolCalls(self.log)
        self.output = Output(self.log, config.spool_limit_bytes)
        self.collection: Collection | None = None
        self.start_at = 0.0
        self._phase = Phase.IDLE
        self._phase_ends_at: float | None = None
        self._effects: deque[Effect] = deque()

    @property
    def phase(self) -> Phase:
        """What the run waits for."""
        return self._phase

    @property
    def job(self) -> Job:
        """The job, which must have been staged."""
        return self.staged.job

    @property
    def limits(self) -> Limits:
        """The limits of the job."""
        return self.staged.job.limits

    @property
    def deadline(self) -> float | None:
        """When time changes something, on the monotonic clock."""
        deadlines = [at for at in (self._phase_ends_at, self.output.due_at) if at is not None]
        return min(deadlines, default=None)

    def enter(self, phase: Phase, ends_at: float | None) -> None:
        """Wait for something else, until then if a time is given."""
        self._phase = phase
        self._phase_ends_at = ends_at

    def wait_without_limit(self) -> None:
        """Wait for the same thing, however long it takes."""
        self._phase_ends_at = None

    def phase_is_over(self, now: Now) -> bool:
        """Whether the time of this phase has passed."""
        return self._phase_ends_at is not None and now.seconds >= self._phase_ends_at

    def left_of_phase(self, now: Now) -> float:
        """Return how many seconds of this phase are left."""
        return max((self._phase_ends_at or 0) - now.seconds, 0)

    def want(self, effect: Effect) -> None:
        """Add something to what is to be done."""
        self._effects.append(effect)

    def take_effects(self) -> list[Effect]:
        """Return what is to be done, each once."""
        effects = list(self._effects)
        self._effects.clear()
        return effects

    def log_step(self, step: str, now: Now) -> None:
        """Have a step written to the supervisor's log."""
        self.want(LogStep(step, self.staged.run_uid or "", now.epoch_ms))

    def end_output(self, now: Now) -> None:
        """Emit all output that has come: no more will."""
        self.output.flush(now)
        self.want(EndCopy(printed=self.output.total, mirrored=self.output.stored))
