"""Connects the run with the world: tells it what happens, and does what it wants done."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable

from assay_runner.frames import Message, encode
from assay_runner.supervisor.clock import Now, read_clock
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.effects import (
    AbandonLauncher,
    AskForFiles,
    CloseLink,
    CopyOutput,
    DigestSource,
    Effect,
    EndCopy,
    EndWorker,
    HandOverDatasets,
    LogStep,
    SendToolResult,
    SendToWorker,
    StopWorker,
)
from assay_runner.supervisor.events import Event
from assay_runner.supervisor.held_files import (
    Body,
    HeldFiles,
    allow_descriptors,
    size_of,
    whole_file,
)
from assay_runner.supervisor.inputs import Inputs
from assay_runner.supervisor.launcher_link import LauncherLink
from assay_runner.supervisor.mirror import Mirror
from assay_runner.supervisor.phases import State
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.run import Run
from assay_runner.supervisor.snapshot_digest import SourceDigest, digest_source
from assay_runner.supervisor.snapshots import Snapshots, handover
from assay_runner.supervisor.step_log import write_small_pipe, write_step
from assay_runner.supervisor.tool_results import ToolResults, result_frames
from assay_runner.supervisor.uploads import Uploads
from assay_runner.text import MAX_TYPE_BYTES, cut_middle


class Driver:
    """Drives a `Run`; a `LinkListener` for events of launcher and worker.

    Args:
        config: the supervisor's settings.
        mirror: receives a copy of the output, if set.
        link: connects launcher and worker; a benchmark has one without processes.
    """

    def __init__(
        self, config: Config, mirror: Mirror | None, link: type[LauncherLink] = LauncherLink
    ) -> None:
        self._config = config
        self._mirror = mirror
        self._loop = asyncio.get_running_loop()
        self.uploads = Uploads(config.snapshot_dir, config.upload_limit_bytes)
        self.tool_results = ToolResults(self)
        self.inputs = Inputs(config.inputs_dir, config.inputs_limit_bytes)
        self._snapshots = Snapshots(config.snapshots_dir)
        self._run = Run(config, self.uploads, self.inputs, self._snapshots)
        self._files: HeldFiles | None = None
        self._link = link(config.socket_path, self)
        self._effects: deque[Effect] = deque()
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._digesting: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self.result_acknowledged = asyncio.Event()

    @property
    def state(self) -> State:
        """The state of the run."""
        return self._run.phase.state

    @property
    def run_uid(self) -> str | None:
        """UID of the staged run."""
        return self._run.run_uid

    @property
    def snapshots(self) -> str | None:
        """SHA-256 of the snapshots that the supervisor opens for the staged run."""
        return self._run.snapshots

    @property
    def ready(self) -> bool:
        """Whether the worker has loaded its libraries and data and waits for code."""
        return self._run.ready

    def listen(self) -> None:
        """Listen for the launcher."""
        self._link.listen()

    # Requests of the operator, which may be refused.

    def stage(self, request: Request) -> None:
        """Accept the job."""
        self._tell(lambda now: self._run.stage(request, now))

    def start(self, request: Request) -> None:
        """Start the staged job."""
        self._tell(lambda now: self._run.start(request, now))

    def attach(self, request: Request) -> None:
        """Check that there is an event stream."""
        self._run.attach(request)

    def cancel(self, request: Request) -> None:
        """Cancel the run."""
        self._tell(lambda now: self._run.cancel(request, now))

    def refuse(self) -> None:
        """Start nothing from now on."""
        self._tell(self._run.refuse)

    def acknowledge(self, request: Request) -> None:
        """Drop events and artifacts that the operator has stored."""
        if self._run.acknowledge(request):
            self.result_acknowledged.set()
        if self._files is not None:
            self._files.release(self._run.stored_artifacts(request))

    def open_artifact(self, request: Request) -> Body:
        """Return the bytes of an artifact."""
        return self._held(request).open(request.number)

    def open_artifacts(self, request: Request) -> Body:
        """Return the bytes of the artifacts from a number on."""
        return self._held(request).open_from(request.number)

    def _held(self, request: Request) -> HeldFiles:
        self._run.attach(request)
        if self._files is None:
            raise Refusal(Code.NOT_FOUND, "the run has no artifacts")
        return self._files

    def check_tool_result(self, request: Request) -> bool:
        """Check that the worker waits for the result of a call, or had it before."""
        return self._run.check_tool_result(request)

    def tool_result(self, request: Request, data: bytes) -> None:
        """Give the worker the result of a call."""
        self._tell(lambda _: self._run.tool_result(request, data))

    # The events, for streams of them.

    @property
    def ended(self) -> bool:
        """Whether no more events will come."""
        return self._run.log.ended

    def events_after(self, seq: int, maximum: int) -> list[Event]:
        """Return up to `maximum` kept events with a sequence number higher than `seq`."""
        return self._run.log.after(seq, maximum)

    async def wait_for_more(self, seq: int) -> None:
        """Wait until there is an event with a higher sequence number, or no more will come."""
        while self._run.log.last_seq <= seq and not self.ended:
            await self._changed.wait()

    # Events of launcher and worker (LinkListener).

    def launcher_connected(self, worker: str) -> None:
        """Check that the launcher runs the worker that this Pod is for."""
        self._tell(lambda _: self._run.launcher_connected(worker))

    def pipe_is_small(self, size: int, reason: str) -> None:
        """Log why output is slower, for the administrator of the node."""
        write_small_pipe(
            pod_uid=self._config.pod_uid, size=size, reason=cut_middle(reason, MAX_TYPE_BYTES)
        )

    def output_received(self, data: bytes) -> None:
        """Collect output of the worker."""
        self._tell(lambda now: self._run.output_received(data, now))

    def worker_message(self, message: Message) -> None:
        """Handle a message of the worker."""
        self._tell(lambda now: self._run.worker_message(message, now))

    def control_closed(self) -> None:
        """Remember that the worker sends and receives nothing any more."""
        self._tell(lambda _: self._run.control_closed())

    def launcher_message(self, message: Message) -> None:
        """Handle a report of the launcher."""
        self._tell(lambda now: self._run.launcher_message(message, now))

    def files_collected(self, paths: list[str], descriptors: list[int]) -> None:
        """Hold what becomes an artifact, and close the rest."""
        if self._files is None:
            # Most runs leave no files and do not need a higher limit.
            allow_descriptors()
            self._files = HeldFiles()
        for path, descriptor in zip(paths, descriptors, strict=True):
            self._hold(self._files, path, descriptor)

    def _hold(self, files: HeldFiles, path: str, descriptor: int) -> None:
        size = size_of(descriptor)
        data = None
        if size is not None and self._run.may_have_data(size):
            data = whole_file(descriptor, size)
        number = None

        def tell(now: Now) -> None:
            nonlocal number
            number = self._run.file_collected(path, size, data, now)

        self._tell(tell)
        if number is None or size is None:
            os.close(descriptor)
        else:
            files.hold(number, descriptor, size)

    def launcher_lost(self) -> None:
        """Finish the run without a report."""
        self._tell(self._run.launcher_lost)

    def shut_down(self) -> None:
        """Disconnect the launcher and emit all output that has arrived."""
        self._link.drain()
        self._tell(self._run.shut_down)
        self._link.close()
        if self._files is not None:
            self._files.close()

    def _tell(self, action: Callable[[Now], None]) -> None:
        """Tell the run of something, and do what follows from it."""
        try:
            action(read_clock())
        finally:
            # What is done may tell the run of something else, which is then done in its turn.
            self._effects += self._run.take_effects()
            if not self._busy:
                self._do_all()

    def _do_all(self) -> None:
        self._busy = True
        try:
            while self._effects:
                self._do(self._effects.popleft())
        finally:
            self._busy = False
        self._set_timer()
        self._changed.set()
        self._changed = asyncio.Event()

    def _do(self, effect: Effect) -> None:
        match effect:
            case LogStep(step, run_uid, at_ms):
                write_step(step, run_uid=run_uid, pod_uid=self._config.pod_uid, at_ms=at_ms)
            case SendToWorker(message):
                self._link.send_to_worker([encode(message)])
            case SendToolResult(call, data):
                self._link.send_to_worker(result_frames(call, data), self._tool_result_sent)
            case AskForFiles(message):
                self._link.tell_launcher(message)
            case HandOverDatasets():
                self._hand_over_datasets()
            case StopWorker(grace_ms):
                self._link.tell_launcher({"type": "stop", "graceMs": grace_ms})
            case EndWorker(code):
                self._link.tell_launcher({"type": "ended", "code": code})
            case AbandonLauncher():
                self._link.drain()
                self._link.close()
                self.launcher_lost()
            case CloseLink():
                self._link.close()
            case DigestSource(source_format):
                self._digesting = self._loop.create_task(self._digest(source_format))
            case CopyOutput(data):
                if self._mirror is not None:
                    self._mirror.add(data)
            case EndCopy(printed, mirrored):
                if self._mirror is not None:
                    self._mirror.end(printed=printed, mirrored=mirrored)

    def _hand_over_datasets(self) -> None:
        files = self._snapshots.take()
        try:
            self._link.hand_over(handover(files))
        except OSError as error:
            # The kernel limits the descriptors in flight for each user.
            reason = error.strerror or ""
            self._tell(lambda _: self._run.handover_failed(reason))
        finally:
            for file in files:
                os.close(file.descriptor)

    def _tool_result_sent(self) -> None:
        self._tell(lambda _: self._run.tool_result_sent())

    async def _digest(self, source_format: str) -> None:
        digest: SourceDigest | OSError
        try:
            directory = self._config.snapshot_dir or ""
            digest = await asyncio.to_thread(digest_source, directory, source_format)
        except OSError as problem:
            digest = problem
        self._tell(lambda now: self._run.digested(digest, now))

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._run.deadline is not None:
            self._timer = self._loop.call_at(self._run.deadline, self._tell, self._run.tick)
