"""How the code of a run starts: its worker is sent the job, and announces the first instruction."""

from __future__ import annotations

from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.collection import Collection
from assay_runner.supervisor.effects import AskForFiles, SendToWorker
from assay_runner.supervisor.job_files import Collect, files_of
from assay_runner.supervisor.phases import Phase
from assay_runner.supervisor.run_state import RunState
from assay_runner.supervisor.tools import tools_of


class RunStart:
    """Starts a run, without any I/O.

    Args:
        state: of the run.
    """

    def __init__(self, state: RunState) -> None:
        self._state = state

    def send_job(self, now: Now) -> None:
        """Send the worker, which is ready, its job."""
        state = self._state
        state.log_step("sent", now)
        state.worker.has_job = True
        job = state.job
        files = files_of(job)
        if files.collect is not None:
            self._prepare_collection(files.collect, keeps=bool(files.keep))
        tools = tools_of(job)
        if tools is not None:
            state.calls.allow(tools)
            state.worker.calls_tools = True
        state.want(SendToWorker({"type": "job", "kind": job.kind, **job.message()}))

    def announced(self, now: Now) -> None:
        """The worker has announced the first instruction."""
        state = self._state
        state.worker.started_at = now.seconds
        state.output.flush(now)
        state.log_step("started", now)
        waited = round((now.seconds - state.start_at) * 1000)
        timings = {**(state.worker.timings or {}), "waitedMs": waited}
        state.log.append("started", now.epoch_ms, {"timings": timings})
        if state.phase is Phase.STARTING:
            state.enter(Phase.RUNNING, now.seconds + state.limits.timeout_ms / 1000)

    def _prepare_collection(self, collect: Collect, *, keeps: bool) -> None:
        state = self._state
        state.collection = Collection(collect, state.log)
        state.worker.keeps = keeps
        # Before the job: when the code has ended, the launcher knows what to collect.
        state.want(AskForFiles({"type": "collect", **collect.message()}))
