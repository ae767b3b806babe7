"""How far launcher and worker have come."""

from __future__ import annotations

from collections.abc import Mapping

from assay_runner.supervisor.phases import AFTER_WORKER, Phase
from assay_runner.supervisor.worker_messages import Exit, KeptFrames, WorkerResult


class WorkerProgress:
    """What is known of launcher and worker.

    Attributes:
        calls_tools: its code may call tools.
        keeps: it keeps frames after its result, and says so.
        connected: the launcher has connected.
        control_open: messages can be exchanged with the worker.
        launcher_gone: the launcher has disconnected without a report.
        timings: how long its preparation took; None until the worker is ready.
        lacks_datasets: the launcher has not linked the datasets of the job yet.
        has_job: it was sent its job.
        has_announced_end: only the end of its process is left.
        started_at: when its first user instruction came, on the monotonic clock.
        result: the worker's report.
        kept: what it says about the frames that it kept.
        exit: the launcher's report.
    """

    def __init__(self) -> None:
        self.calls_tools = False
        self.keeps = False
        self.connected = False
        self.control_open = False
        self.launcher_gone = False
        self.timings: dict[str, int] | None = None
        self.lacks_datasets = False
        self.has_announced_end = False
        self.has_job = False
        self.started_at: float | None = None
        self.result: WorkerResult | None = None
        self.kept: KeptFrames | None = None
        self.exit: Exit | None = None

    @property
    def ended(self) -> bool:
        """Whether the worker has ended."""
        return self.exit is not None or self.launcher_gone

    @property
    def can_have_job(self) -> bool:
        """Whether it waits for its job, and finds the datasets of it."""
        return self.timings is not None and not self.lacks_datasets

    @property
    def description(self) -> Mapping[str, object] | None:
        """The description of a snapshot that the worker has reported."""
        value = self.result.value if self.result else None
        return value if isinstance(value, dict) else None

    @property
    def json_text(self) -> str | None:
        """What code has returned, as JSON."""
        return self.result.json_text if self.result else None

    def expected_messages(self, phase: Phase) -> tuple[str, ...]:
        """Return the types of message that the worker may send next.

        They come in order, and each once except `tool_call`.
        """
        if phase in AFTER_WORKER:
            return ()
        if self.result is not None:
            kept = ("kept",) if self.keeps and self.kept is None else ()
            # A worker that is about to be stopped may return what it has.
            stopped = ("stopped",) if phase is Phase.FLUSHING else ()
            return (*stopped, *kept) if self.has_announced_end else (*stopped, *kept, "ended")
        if self.timings is None:
            return ("ready", "result")
        if self.started_at is None:
            return ("started", "result") if self.has_job else ("result",)
        calls = ("tool_call",) if self.calls_tools else ()
        return (*calls, "stopped", "result") if phase is Phase.FLUSHING else (*calls, "result")
