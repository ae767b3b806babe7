"""The run as a state machine: all that can happen to it, in every order."""

from __future__ import annotations

import base64
import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from assay_runner.frames import FrameError
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.collection import MAX_DATA_BYTES, Collection
from assay_runner.supervisor.config import Config
from assay_runner.supervisor.effects import (
    AbandonLauncher,
    AskForFiles,
    CloseLink,
    DigestSource,
    Effect,
    EndWorker,
    HandOverDatasets,
    LogStep,
    SendToolResult,
    SendToWorker,
    StopWorker,
)
from assay_runner.supervisor.events import EVENT_OVERHEAD_BYTES, EventLog
from assay_runner.supervisor.inputs import Inputs
from assay_runner.supervisor.job import Job, Limits
from assay_runner.supervisor.job_files import Collect, JobFiles
from assay_runner.supervisor.jobs import Dataset, PythonJob, Query
from assay_runner.supervisor.phases import NOT_STARTED, Phase
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.requests import Request
from assay_runner.supervisor.run import Run
from assay_runner.supervisor.run_end import (
    LAUNCHER_REPORT_SECONDS,
    MAX_COLLECTION_SECONDS,
)
from assay_runner.supervisor.snapshot_digest import SourceDigest
from assay_runner.supervisor.snapshot_job import SnapshotJob
from assay_runner.supervisor.snapshots import Snapshots
from assay_runner.supervisor.tools import Tools
from assay_runner.supervisor.uploads import Uploads
from assay_runner.workers import WORKERS

LIMITS = Limits(timeout_ms=30_000, start_timeout_ms=60_000, stop_grace_ms=500, output_bytes=1000)
JOBS: dict[str, Job] = {
    "python": PythonJob(LIMITS, "print(1)", Query()),
    "snapshot": SnapshotJob(LIMITS, "csv", "a\n1\n", None, None, {}, None, None, {}),
    "calling": PythonJob(LIMITS, "call()", Query(), tools=Tools(8, 2**20)),
    "leaving": PythonJob(
        LIMITS,
        "leave()",
        Query(),
        files=JobFiles(keep=("df",), collect=Collect(("artifacts",), (), 2, 10)),
    ),
    "given": PythonJob(LIMITS, "read()", Query((Dataset("a", "a", "snapshots/a"),))),
}
EXPIRES_MS = 10**9
ORDER = ("IDLE", "STAGED", "STARTED", "FINISHED", "REFUSED")


@pytest.fixture(autouse=True)
def further_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that calls tools, one that leaves files, and one that is given datasets."""
    monkeypatch.setitem(WORKERS, "calling", WORKERS["python"])
    monkeypatch.setitem(WORKERS, "leaving", WORKERS["python"])
    monkeypatch.setitem(WORKERS, "given", WORKERS["python"])


def config(worker: str) -> Config:
    return Config.from_environment(
        {
            "ASSAY_POD_UID": "pod-1",
            "ASSAY_POD_NAMESPACE": "runs",
            "ASSAY_PUBLIC_KEYS": f"k1={'A' * 43}=",
            "ASSAY_WORKER": worker,
        }
    )


def request(op: str, job: Job | None = None, *, run_uid: str = "run-1", seq: int = 0) -> Request:
    return Request(op, "runs", run_uid, "pod-1", "n", EXPIRES_MS, job, seq, 0, op.encode())


def result(call: int, sha256: str = "d" * 64) -> Request:
    return request("tool-result")._replace(call=call, size=3, sha256=sha256)


class NoFiles(Snapshots):
    """Snapshots that are open."""

    def open(self, datasets: tuple[Dataset, ...]) -> None:
        pass


@dataclass
class World:
    """A run with the launcher and worker that it has, and a clock that only `pass_time` moves."""

    worker: str
    seconds: float = 0.0
    effects: list[Effect] = field(default_factory=list)
    connected: bool = False
    hung_up: bool = False
    control_open: bool = False
    exited: bool = False

    def __post_init__(self) -> None:
        self.job = JOBS[self.worker]
        self.run = Run(config(self.worker), Uploads(None, 0), Inputs("/", 0), NoFiles(None))

    @property
    def now(self) -> Now:
        return Now(self.seconds, round(self.seconds * 1000))

    def do(self, step: str) -> None:
        STEPS[step](self)
        self.effects += self.run.take_effects()

    def count(self, effect: type[Effect]) -> int:
        return sum(isinstance(done, effect) for done in self.effects)

    def has_sent(self, message_type: str) -> bool:
        return any(
            isinstance(done, SendToWorker) and done.message["type"] == message_type
            for done in self.effects
        )

    # What can happen.

    def connect(self, worker: str | None = None) -> None:
        self.connected = self.control_open = True
        try:
            self.run.launcher_connected(worker or self.worker)
        except FrameError:
            self.control_open = False

    def message(self, **members: object) -> None:
        """What the link does with a message of the worker."""
        try:
            self.run.worker_message(members, self.now)
        except FrameError:
            self.close_control()

    def call(self, args: str, **members: object) -> None:
        """The worker calls a tool."""
        named = {"batch": None, "server": "s", "tool": "t", "args": args}
        self.message(type="tool_call", call=self.calls + 1, **{**named, **members})

    def close_control(self) -> None:
        self.control_open = False
        self.run.control_closed()

    @property
    def calls(self) -> int:
        """How many calls became events."""
        return self.run._calls._last

    def answer(self) -> None:
        self.run.tool_result(result(self.calls), b"yes")

    def exit(self, code: int | None, *, signal: int | None = None, oom: bool = False) -> None:
        self.exited = True
        report = {"code": code, "signal": signal, "oomKilled": oom}
        numbers = {"cpuMs": 1, "peakMemoryBytes": 2}
        self.run.launcher_message({"type": "exited", **report, **numbers}, self.now)

    @property
    def artifacts(self) -> int:
        """How many files became artifacts."""
        return len(self.run._state.collection._paths) if self.run._state.collection else 0

    def hand_over(self, size: int | None) -> None:
        self.run.file_collected(f"artifacts/{self.artifacts}", size, None, self.now)

    def end_collection(self) -> None:
        try:
            message = {"type": "collected", "message": "Left out: 1."}
            self.run.launcher_message(message, self.now)
        except FrameError:
            self.lose()

    def fail(self) -> None:
        self.connected = True
        with pytest.raises(FrameError):
            self.run.launcher_message({"type": "failed", "message": "no"}, self.now)

    def fail_to_link(self) -> None:
        with pytest.raises(FrameError):
            self.run.launcher_message({"type": "failed", "message": "no"}, self.now)
        self.lose()

    def lose(self) -> None:
        self.control_open, self.hung_up = False, True
        self.run.launcher_lost(self.now)

    def pass_time(self) -> None:
        assert self.run.deadline is not None
        self.seconds = max(self.seconds, self.run.deadline)
        self.run.tick(self.now)

    def refuse(self) -> None:
        with contextlib.suppress(Refusal):
            self.run.refuse(self.now)

    def cancel(self) -> None:
        self.run.cancel(request("cancel"), self.now)

    @property
    def can_be_answered(self) -> bool:
        """Whether the worker waits for the result of a call."""
        try:
            return self.calls > 0 and self.run.check_tool_result(result(self.calls))
        except Refusal:
            return False

    def possible(self) -> list[str]:
        """The steps that can come next."""
        return [step for step in STEPS if CONDITIONS[step](self)]


STEPS: dict[str, Callable[[World], None]] = {
    "stage": lambda w: w.run.stage(request("stage", w.job), w.now),
    "start": lambda w: w.run.start(request("start"), w.now),
    "cancel": World.cancel,
    "refuse": World.refuse,
    "acknowledge": lambda w: _ignore(w.run.acknowledge(request("ack", seq=w.run.log.last_seq))),
    "time": World.pass_time,
    "connect": World.connect,
    "connect wrong": lambda w: w.connect("perl"),
    "failed": World.fail,
    "linked": lambda w: w.run.launcher_message({"type": "linked"}, w.now),
    "not linked": World.fail_to_link,
    "ready": lambda w: w.message(type="ready", importsMs=1, datasetMs=1),
    "started": lambda w: w.message(type="started"),
    "stopped": lambda w: w.message(type="stopped"),
    "kept": lambda w: w.message(type="kept", message=None),
    "ended": lambda w: w.message(type="ended", code=0),
    "file": lambda w: w.hand_over(3),
    "no file": lambda w: w.hand_over(None),
    "collected": World.end_collection,
    "result": lambda w: w.message(type="result", error=None),
    "description": lambda w: w.message(type="result", error=None, value={"rows": 1}),
    "error": lambda w: w.message(type="result", error={"type": "E", "message": "m"}),
    "call": lambda w: w.call("YQ=="),
    "answer": World.answer,
    "sent": lambda w: w.run.tool_result_sent(),
    "garbage": lambda w: w.message(type="tool_call"),
    "close": World.close_control,
    "output": lambda w: w.run.output_received(b"x", w.now),
    "exit 0": lambda w: w.exit(0),
    "exit 1": lambda w: w.exit(1),
    "killed": lambda w: w.exit(None, signal=9, oom=True),
    "lost": World.lose,
    "digested": lambda w: w.run.digested(SourceDigest("d" * 64, 5), w.now),
    "not digested": lambda w: w.run.digested(OSError("no"), w.now),
}


def _ignore(_: object) -> None:
    pass


def _attached(world: World) -> bool:
    return world.connected and not world.hung_up and not world.exited


def _can_send(world: World) -> bool:
    return _attached(world) and world.control_open


def _leaves(world: World) -> bool:
    """Whether the launcher may hand over files: also where nobody waits for them."""
    ended = world.connected and not world.hung_up and world.exited
    return ended and world.worker == "leaving" and world.run.phase is not Phase.FINISHED


def _staged(world: World) -> bool:
    return world.run.run_uid is not None and world.run.phase is not Phase.REFUSED


CONDITIONS: dict[str, Callable[[World], bool]] = {
    "stage": lambda w: w.run.phase is not Phase.REFUSED,
    "start": _staged,
    "cancel": _staged,
    "refuse": lambda w: True,
    "acknowledge": lambda w: w.run.phase not in NOT_STARTED,
    "time": lambda w: w.run.deadline is not None,
    "connect": lambda w: not w.connected and not w.hung_up,
    "connect wrong": lambda w: not w.connected and not w.hung_up,
    "failed": lambda w: not w.connected and not w.hung_up,
    **dict.fromkeys(
        ("ready", "started", "stopped", "result", "ended", "description", "error", "garbage"),
        _can_send,
    ),
    **dict.fromkeys(
        ("linked", "not linked"), lambda w: _attached(w) and w.run._worker.lacks_datasets
    ),
    "close": _can_send,
    "kept": lambda w: _can_send(w) and w.worker == "leaving",
    "file": lambda w: _leaves(w) and w.artifacts == 0,
    **dict.fromkeys(("no file", "collected"), lambda w: _leaves(w)),
    "call": lambda w: _can_send(w) and w.worker == "calling",
    "answer": lambda w: w.can_be_answered,
    "sent": lambda w: _can_send(w) and w.run._calls._unsent > 0,
    "output": _attached,
    **dict.fromkeys(("exit 0", "exit 1", "killed"), _attached),
    "lost": lambda w: w.connected and not w.hung_up,
    **dict.fromkeys(("digested", "not digested"), lambda w: w.count(DigestSource) > 0),
}


def after(worker: str, *steps: str) -> World:
    world = World(worker)
    for step in steps:
        world.do(step)
    return world


def fingerprint(world: World) -> tuple[object, ...]:
    """What the future depends on."""
    run = world.run
    left = None if run.deadline is None else round(run.deadline - world.seconds, 3)
    progress, calls = run._worker, run._calls
    result = progress.result and (progress.result.error is None, progress.result.value is None)
    return (
        *(run.phase, left, run._state.stop, progress.connected, progress.control_open),
        *(len(calls._events), calls._unsent, calls._last > 0, world.can_be_answered),
        *(progress.launcher_gone, progress.timings is None, progress.started_at is None),
        *(result, progress.exit and progress.exit.code, run.log.last_seq > 0, run.log.ended),
        *(world.connected, world.hung_up, world.control_open, world.exited),
        *(progress.lacks_datasets, world.count(HandOverDatasets)),
        *(
            progress.has_announced_end,
            progress.kept is None,
            world.artifacts,
            world.count(AskForFiles),
        ),
        *(world.has_sent("job"), world.count(DigestSource), world.count(AbandonLauncher)),
    )


def events(world: World) -> list[str]:
    unordered = ("output", "tool_call", "artifact")
    return [event.type for event in world.run.log.after(0, 1000) if event.type not in unordered]


def check(world: World, path: tuple[str, ...]) -> None:
    """What is true whatever has happened."""
    run, seen = world.run, events(world)
    assert world.count(AskForFiles) == (world.has_sent("job") and world.worker == "leaving"), path
    sent = [done for done in world.effects if isinstance(done, (SendToWorker, LogStep))]
    jobs = [
        n
        for n, done in enumerate(sent)
        if done == SendToWorker({"type": "job", "kind": world.job.kind, **world.job.message()})
    ]
    assert len(jobs) <= 1, path
    before = sent[jobs[0] - 1] if jobs else None
    assert not jobs or (isinstance(before, LogStep) and before.step == "sent"), path
    assert not jobs or "start" in path, path
    given = world.worker == "given"
    assert not (jobs and given) or "linked" in path, path
    connected = any(step.startswith("connect") for step in path)
    assert world.count(HandOverDatasets) <= (given and connected and "stage" in path), path
    assert world.count(CloseLink) == (run.phase is Phase.FINISHED), path
    waits = run.phase in (*NOT_STARTED, Phase.DIGESTING, Phase.FINISHED)
    assert run.phase not in NOT_STARTED or not jobs, path
    abandons = run.phase in (Phase.STOPPING, Phase.COLLECTING)
    # A launcher that reports its exit while it is abandoned is so once more.
    abandoned = abandons and 1 <= world.count(AbandonLauncher) <= 2
    assert waits or abandoned or run.deadline is not None, path
    assert world.count(SendToolResult) in (world.calls, max(world.calls - 1, 0)), path
    if "acknowledge" in path:
        return
    made = [event for event in run.log.after(0, 1000) if event.type == "tool_call"]
    numbers = [event.members["call"] for event in made]
    assert numbers == [*range(1, world.calls + 1)], path
    assert not numbers or "started" in seen, path
    assert [*seen] in ([], ["started"], ["result"], ["started", "result"]), path
    assert "started" not in seen or jobs, path
    assert ("result" in seen) == (run.phase is Phase.FINISHED), path
    artifacts = [event for event in run.log.after(0, 1000) if event.type == "artifact"]
    assert [event.members["number"] for event in artifacts] == [*range(1, world.artifacts + 1)]
    assert not artifacts or world.exited, path
    if run.phase is Phase.FINISHED:
        assert run.log.after(run.log.last_seq - 1, 1)[0].type == "result", path
        result = run.log.after(run.log.last_seq - 1, 1)[0].members
        outcome, error = result["outcome"], result["error"]
        assert (error is not None) == (outcome in ("CodeError", "StartFailed")), path
        assert ("artifactsMessage" in result) == (world.worker == "leaving"), path
        if outcome != "Cancelled":
            assert (outcome == "StartFailed") == ("started" not in seen), path


def finish(world: World, path: tuple[str, ...]) -> None:
    """A run that was started ends without anybody's help but the clock's."""
    for _ in range(6):
        if world.run.phase is Phase.DIGESTING:
            world.do("digested")
        elif world.count(AbandonLauncher) and not world.hung_up:
            world.do("lost")
        elif world.run.deadline is not None:
            world.do("time")
    assert world.run.phase is Phase.FINISHED, path


class Reached(NamedTuple):
    """A step from a state that can be reached: the worlds around it, the path, and its novelty."""

    before: World
    after: World
    path: tuple[str, ...]
    is_new: bool


def explored(worker: str) -> Iterator[Reached]:
    """Every step from every state, however the state is reached."""
    known = {fingerprint(World(worker))}
    paths: deque[tuple[str, ...]] = deque([()])
    while paths:
        path = paths.popleft()
        before = after(worker, *path)
        for step in before.possible():
            longer = (*path, step)
            world = after(worker, *longer)
            mark = fingerprint(world)
            is_new = mark not in known
            yield Reached(before, world, longer, is_new)
            if is_new:
                known.add(mark)
                paths.append(longer)


@pytest.mark.slow
@pytest.mark.parametrize("worker", ["python", "snapshot", "calling", "leaving", "given"])
def test_whatever_happens_the_promises_of_the_protocol_are_kept(worker: str) -> None:
    reached = {Phase.IDLE}
    for before, world, path, is_new in explored(worker):
        check(world, path)
        state, last = before.run.phase.state.name, before.run.log.last_seq
        assert ORDER.index(world.run.phase.state.name) >= ORDER.index(state), path
        assert state != "REFUSED" or world.run.phase is Phase.REFUSED, path
        assert state != "FINISHED" or world.run.log.last_seq == last, path
        reached.add(world.run.phase)
        if is_new and world.run.phase not in NOT_STARTED:
            finish(after(worker, *path), path)
    unreachable = {
        "python": {Phase.DIGESTING, Phase.COLLECTING},
        "snapshot": {Phase.FLUSHING, Phase.COLLECTING},
        "calling": {Phase.DIGESTING, Phase.COLLECTING},
        "leaving": {Phase.DIGESTING},
        "given": {Phase.DIGESTING, Phase.COLLECTING},
    }
    assert reached == set(Phase) - unreachable[worker]


OPERATIONS: dict[str, Callable[[Run, Request, Now], object]] = {
    "stage": Run.stage,
    "start": Run.start,
    "cancel": Run.cancel,
    "refuse": lambda run, sent, now: run.refuse(now),
    "ack": lambda run, sent, now: run.acknowledge(sent),
}
ANSWERS = Path(__file__).parent.parent.parent / "protocol" / "states.json"


def answers(*path: str) -> dict[str, list[str]]:
    """What each request of the run, and of another, is answered, and the state after it."""
    found = {}
    for op in OPERATIONS:
        for whose, run_uid in (("its", "run-1"), ("another", "run-2")):
            asked = after("python", *path)
            job = asked.job if op == "stage" else None
            answer = "Accepted"
            sent = request(op, job, run_uid=run_uid, seq=asked.run.log.last_seq)
            try:
                # Each is signed anew, with a time of its own.
                OPERATIONS[op](asked.run, sent._replace(body=b"anew"), asked.now)
            except Refusal as refusal:
                answer = refusal.code.text
            found[f"{op} of {whose} run"] = [answer, asked.run.phase.state.value]
    return found


@pytest.mark.slow
def test_the_states_of_the_protocol_answer_as_its_table_says() -> None:
    table: dict[str, dict[str, dict[str, list[str]]]] = {}
    for path in [(), *(step.path for step in explored("python") if step.is_new)]:
        row = table.setdefault(after("python", *path).run.phase.state.value, {})
        for asked, (answer, state) in answers(*path).items():
            states = row.setdefault(asked, {}).setdefault(answer, [])
            if state not in states:
                states.append(state)
                states.sort()
    assert json.loads(ANSWERS.read_text()) == table, json.dumps(table)


RUNNING = ("connect", "ready", "stage", "start", "started")


def outcome(world: World) -> object:
    assert world.run.phase is Phase.FINISHED
    return world.run.log.after(world.run.log.last_seq - 1, 1)[0].members["outcome"]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (("stage", "cancel"), "Cancelled"),
        (("stage", "start", "time"), "StartFailed"),
        (("stage", "start", "connect", "error", "exit 1"), "StartFailed"),
        (("connect", "error", "stage", "start", "exit 1"), "StartFailed"),
        (("connect", "exit 1", "stage", "start"), "StartFailed"),
        (("stage", "start", "connect wrong", "lost"), "StartFailed"),
        (("stage", "start", "failed", "lost"), "StartFailed"),
        ((*RUNNING, "result", "exit 0"), "Succeeded"),
        ((*RUNNING, "result", "lost"), "Succeeded"),
        ((*RUNNING, "error", "exit 1"), "CodeError"),
        ((*RUNNING, "garbage", "exit 0"), "Succeeded"),
        ((*RUNNING, "killed"), "MemoryExceeded"),
        ((*RUNNING, "lost"), "WorkerLost"),
        ((*RUNNING, "time", "stopped", "killed"), "DeadlineExceeded"),
        ((*RUNNING, "time", "result", "exit 0"), "DeadlineExceeded"),
        ((*RUNNING, "cancel", "result", "exit 0"), "Cancelled"),
        ((*RUNNING, "result", "cancel", "killed"), "Cancelled"),
        ((*RUNNING, "result", "exit 0", "cancel"), "Succeeded"),
        ((*RUNNING, "result", "time", "killed"), "DeadlineExceeded"),
        ((*RUNNING, "error", "time", "killed"), "CodeError"),
    ],
)
def test_how_a_run_ends_follows_from_what_came_first(steps: tuple[str, ...], expected: str) -> None:
    assert outcome(after("python", *steps)) == expected


def test_a_worker_flushes_before_it_is_stopped_only_while_it_runs_code_and_listens() -> None:
    assert after("python", *RUNNING, "cancel").has_sent("stop")
    for steps in (("stage", "connect", "start", "cancel"), (*RUNNING, "close", "cancel")):
        world = after("python", *steps)
        assert not world.has_sent("stop")
        assert world.effects[-1] == StopWorker(500)
    assert not after("snapshot", *RUNNING, "cancel").has_sent("stop")


def test_the_grace_period_is_spent_once() -> None:
    world = after("python", *RUNNING, "time")
    assert world.run.deadline == 30.25
    world.seconds = 30.2
    world.do("stopped")
    assert world.effects[-1] == StopWorker(300)
    assert world.run.deadline == pytest.approx(30.5 + LAUNCHER_REPORT_SECONDS)


def test_a_worker_that_is_asked_to_stop_may_return_a_value_first() -> None:
    world = after("python", *RUNNING, "time")
    world.message(type="result", error=None, valueJson="MQ==")
    world.do("stopped")
    assert world.control_open
    world.do("exit 1")
    assert outcome(world) == "DeadlineExceeded"
    assert world.run.log.after(1, 1)[0].members["valueJson"] == "MQ=="


def test_half_of_the_grace_period_is_left_for_a_worker_that_cannot_answer() -> None:
    world = after("python", *RUNNING, "time")
    world.seconds = 30.25
    world.do("time")
    assert world.effects[-1] == StopWorker(250)


def test_a_worker_has_the_rest_of_its_time_limit_to_exit_after_its_result() -> None:
    world = after("python", *RUNNING, "result")
    assert world.run.deadline == 30.0
    world = after("python", *RUNNING)
    world.seconds = 29.9
    world.do("result")
    assert world.run.deadline == pytest.approx(30.15)


def test_a_worker_that_failed_before_the_start_and_stays_is_stopped() -> None:
    world = after("python", "connect", "error", "stage", "start", "time", "time", "lost")
    assert outcome(world) == "StartFailed"


def test_a_snapshot_has_the_digest_that_the_supervisor_computed() -> None:
    world = after("snapshot", *RUNNING, "description", "exit 0")
    assert world.effects[-1] == DigestSource("csv")
    world.do("digested")
    result = world.run.log.after(1, 1)[0].members
    assert result["value"] == {"rows": 1, "sha256": "d" * 64, "bytes": 5}
    for steps in (("result", "exit 0"), ("description", "exit 0", "not digested")):
        assert outcome(after("snapshot", *RUNNING, *steps)) == "CodeError"


def said(world: World) -> object:
    assert world.run.phase is Phase.FINISHED
    return world.run.log.after(world.run.log.last_seq - 1, 1)[0].members["artifactsMessage"]


LEFT = (*RUNNING, "result", "kept", "exit 0")


def test_the_launcher_is_asked_for_files_before_the_worker_has_its_job() -> None:
    world = after("leaving", "connect", "ready", "stage", "start")
    asked = next(n for n, done in enumerate(world.effects) if isinstance(done, AskForFiles))
    assert isinstance(world.effects[asked + 1], SendToWorker)
    assert world.effects[asked] == AskForFiles(
        {
            "type": "collect",
            "folders": ("artifacts",),
            "files": (),
            "anywhere": False,
            "given": (),
            "maxCount": 2,
            "maxBytes": 10,
        }
    )


def test_the_launcher_is_told_once_that_only_the_end_of_the_process_is_left() -> None:
    world = after("python", *RUNNING, "result", "ended")
    assert EndWorker(0) in world.effects
    with pytest.raises(FrameError):
        world.run.worker_message({"type": "ended", "code": 0}, world.now)


@pytest.mark.parametrize("code", [None, "0", -1, True, 1.5])
def test_an_announced_exit_code_is_a_number(code: object) -> None:
    world = after("python", *RUNNING, "result")
    with pytest.raises(FrameError):
        world.run.worker_message({"type": "ended", "code": code}, world.now)


def test_files_are_events_before_the_result() -> None:
    world = after("leaving", *LEFT, "file", "collected")
    types = [event.type for event in world.run.log.after(0, 10)]
    assert types == ["started", "artifact", "result"]
    members = world.run.log.after(1, 1)[0].members
    assert members == {"number": 1, "path": "artifacts/0", "bytes": 3}
    assert (outcome(world), said(world)) == ("Succeeded", "Left out: 1.")


@pytest.mark.probe("artifact-launcher")
def test_what_a_launcher_hands_over_is_checked_again() -> None:
    world = after("leaving", *LEFT)
    for path, size in (
        ("artifacts/a", 4),
        ("artifacts/a", 1),
        ("../a", 1),
        ("artifacts/\x1b", 1),
        ("artifacts/pipe", None),
        ("artifacts/large", 7),
        ("artifacts/b", 6),
        ("artifacts/third", 0),
    ):
        world.run.file_collected(path, size, None, world.now)
    world.do("collected")
    paths = [event.members.get("path") for event in world.run.log.after(1, 2)]
    assert paths == ["artifacts/a", "artifacts/b"]
    assert said(world) == "Left out: 1. 6 files were refused."


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((*LEFT, "collected"), "Left out: 1."),
        ((*LEFT, "file", "lost"), "while they were collected"),
        ((*LEFT, "time", "lost"), "took too long"),
        ((*RUNNING, "result", "kept", "lost"), "No files were collected"),
        ((*RUNNING, "killed", "collected"), "Frames were not kept"),
        ((*RUNNING, "time", "stopped", "killed", "collected"), "Frames were not kept"),
        ((*RUNNING, "time", "result", "kept", "killed", "collected"), "Left out: 1."),
    ],
)
def test_what_is_missing_is_said(steps: tuple[str, ...], message: str) -> None:
    assert message in str(said(after("leaving", *steps)))


def test_nothing_is_said_of_a_run_whose_code_did_not_start() -> None:
    assert said(after("leaving", "stage", "start", "connect", "ready", "lost")) is None
    assert said(after("leaving", "stage", "cancel")) is None


def test_collecting_has_a_time_limit() -> None:
    world = after("leaving", *LEFT)
    assert world.run.deadline == MAX_COLLECTION_SECONDS
    world.do("time")
    assert world.effects[-1] == AbandonLauncher()


def test_the_events_of_the_first_files_have_their_bytes_while_they_are_small() -> None:
    log = EventLog(2**20)
    sizes = {"a": 0, "b": MAX_DATA_BYTES - 1, "c": 2, "d": 1, "e": 0}
    collection = Collection(Collect((), (), len(sizes), 2**20), log)
    for path, size in sizes.items():
        data = b"x" * size if collection.may_have_data(size) else None
        assert collection.add(path, size, data, Now(0.0, 0))
    sent = {event.members["path"]: event.data for event in log.after(0, 10)}
    assert sent == {"a": b"", "b": b"x" * (MAX_DATA_BYTES - 1), "c": None, "d": None, "e": None}


def test_an_event_has_the_bytes_of_a_file_only_if_the_log_has_room_for_them() -> None:
    log = EventLog(2 * EVENT_OVERHEAD_BYTES)
    collection = Collection(Collect((), (), 9, 2**20), log)
    assert collection.may_have_data(log.room)
    assert not collection.may_have_data(log.room + 1)


def test_what_is_left_out_is_not_read() -> None:
    collection = Collection(Collect((), (), 1, 3), EventLog(2**20))
    assert not collection.may_have_data(4)
    assert collection.add("a", 1, b"a", Now(0.0, 0))
    assert not collection.may_have_data(1)


def test_files_are_read_only_while_they_are_collected() -> None:
    world = after("leaving", "stage")
    assert not world.run.may_have_data(0)
    world = after("leaving", *RUNNING)
    assert not world.run.may_have_data(0)
    world = after("leaving", *LEFT)
    assert world.run.may_have_data(3)
    world.run.file_collected("artifacts/unreadable", 3, None, world.now)
    assert not world.run.may_have_data(0)


def test_an_acknowledged_artifact_is_stored() -> None:
    world = after("leaving", *LEFT, "file", "file", "collected")
    stored = [world.run.stored_artifacts(request("ack", seq=seq)) for seq in range(5)]
    assert stored == [0, 0, 1, 2, 2]


def test_only_the_acknowledgement_of_the_result_ends_the_runner() -> None:
    world = after("python", *RUNNING)
    assert not world.run.acknowledge(request("ack", seq=1))
    world.do("lost")
    assert not world.run.acknowledge(request("ack", seq=1))
    assert world.run.acknowledge(request("ack", seq=2))


def test_a_call_waits_for_its_result_while_code_runs_and_the_worker_listens() -> None:
    called = (*RUNNING, "call")
    assert after("calling", *called).can_be_answered
    for step in ("answer", "close", "time", "lost", "result"):
        assert not after("calling", *called, step).can_be_answered
    assert not after("calling", *RUNNING).can_be_answered
    assert not after("calling", *RUNNING, "time", "call").can_be_answered
    assert not after("calling", *called, "call").can_be_answered


def test_a_worker_calls_again_only_when_it_was_sent_the_whole_result() -> None:
    world = after("calling", *RUNNING, "call", "answer", "call")
    assert (world.calls, world.control_open) == (1, False)
    world = after("calling", *RUNNING, "call", "answer", "sent", "call")
    assert (world.calls, world.control_open) == (2, True)


def test_a_result_is_given_once_and_another_one_refused() -> None:
    world = after("calling", *RUNNING, "call", "answer", "answer")
    assert world.effects[-1] == SendToolResult(1, b"yes")
    assert world.count(SendToolResult) == 1
    with pytest.raises(Refusal) as refusal:
        world.run.tool_result(result(1, "e" * 64), b"no")
    assert refusal.value.code is Code.BYTES_CHANGED


def test_arguments_count_in_the_budget_of_events_until_their_call_is_answered() -> None:
    world = after("calling", *RUNNING)
    room, text = world.run.log.room, "YWJj" * 1000
    world.call(text)
    assert world.run.log.room == room - EVENT_OVERHEAD_BYTES - 2 - 3000
    world.do("answer")
    assert world.run.log.room == room - EVENT_OVERHEAD_BYTES - 2
    assert world.run.log.after(1, 1)[0].members == {
        "call": 1,
        "batch": None,
        "server": "s",
        "tool": "t",
        "args": None,
    }


def test_a_worker_whose_call_has_no_room_is_cut_off() -> None:
    world = after("calling", *RUNNING)
    world.run.log._room = EVENT_OVERHEAD_BYTES + 4
    world.call("YWJj")
    assert (world.calls, world.control_open) == (0, False)


def test_an_event_that_was_acknowledged_has_no_data_to_drop() -> None:
    world = after("calling", *RUNNING, "call", "acknowledge", "answer")
    assert world.run.log.after(0, 10) == []


def batch(first: int, size: int, max_parallel: int = 8) -> dict[str, int]:
    return {"first": first, "size": size, "maxParallel": max_parallel}


def sized(call: int, size: int) -> Request:
    return result(call)._replace(size=size)


def answer(world: World, call: int, size: int = 3) -> None:
    world.run.tool_result(sized(call, size), b"")


def test_the_calls_of_a_batch_are_open_together_and_answered_in_any_order() -> None:
    world = after("calling", *RUNNING)
    for _ in range(3):
        world.call("YQ==", batch=batch(1, 3))
    assert (world.calls, world.control_open) == (3, True)
    for call in (2, 3, 1):
        answer(world, call)
        world.run.tool_result_sent()
    world.call("YQ==")
    assert (world.calls, world.control_open) == (4, True)
    for call in (1, 2, 3):
        assert not world.run.check_tool_result(result(call))


@pytest.mark.parametrize(
    "second",
    [
        None,
        batch(2, 1),
        batch(1, 3),
        batch(1, 2, 7),
    ],
)
def test_another_call_within_a_batch_is_cut_off(second: dict[str, int] | None) -> None:
    world = after("calling", *RUNNING)
    world.call("YQ==", batch=batch(1, 2))
    answer(world, 1)
    world.run.tool_result_sent()
    world.call("YQ==", batch=second)
    assert (world.calls, world.control_open) == (1, False)


@pytest.mark.parametrize("wrong", [batch(2, 2), batch(1, 0), batch(1, 101), batch(1, 2, 0)])
def test_a_batch_that_begins_elsewhere_or_is_too_large_is_cut_off(wrong: dict[str, int]) -> None:
    world = after("calling", *RUNNING)
    world.call("YQ==", batch=wrong)
    assert (world.calls, world.control_open) == (0, False)


def test_a_batch_waits_until_all_results_of_the_one_before_were_sent() -> None:
    world = after("calling", *RUNNING)
    for _ in range(2):
        world.call("YQ==", batch=batch(1, 2))
    answer(world, 1)
    answer(world, 2)
    world.run.tool_result_sent()
    world.call("YQ==", batch=batch(3, 1))
    assert (world.calls, world.control_open) == (2, False)


def test_the_arguments_of_a_batch_are_limited_together() -> None:
    world = after("calling", *RUNNING)
    quarter = base64.b64encode(b"x" * 256 * 1024).decode()
    for _ in range(4):
        world.call(quarter, batch=batch(1, 5))
    assert (world.calls, world.control_open) == (4, True)
    world.call("YQ==", batch=batch(1, 5))
    assert (world.calls, world.control_open) == (4, False)


def test_results_are_limited_each_and_together_and_an_error_always_has_room() -> None:
    tools = Tools(max_parallel=8, result_bytes=3 * 2**20)
    world = World("calling")
    world.job = PythonJob(LIMITS, "call()", Query(), tools=tools)
    for step in RUNNING:
        world.do(step)
    for _ in range(4):
        world.call("YQ==", batch=batch(1, 4))
    with pytest.raises(Refusal) as refusal:
        answer(world, 1, 3 * 2**20 + 1)
    assert refusal.value.code is Code.TOO_LARGE
    answer(world, 1, 3 * 2**20)
    answer(world, 2, 3 * 2**20)
    with pytest.raises(Refusal):
        answer(world, 3, 2 * 2**20 + 1)
    answer(world, 3, 2 * 2**20)
    with pytest.raises(Refusal):
        answer(world, 4, 64 * 1024 + 1)
    answer(world, 4, 64 * 1024)


def test_the_results_of_one_batch_take_no_room_of_the_next() -> None:
    world = after("calling", *RUNNING)
    for call in range(1, 10):
        world.call("YQ==", batch=batch(call, 1))
        answer(world, call, 2**20)
        world.run.tool_result_sent()
    assert (world.calls, world.control_open) == (9, True)


def test_the_calls_of_the_largest_class_fit_into_the_events() -> None:
    world = after("calling", *RUNNING)
    for call in range(1, 10_001):
        world.call("YQ==", server="s" * 63, tool="t" * 128)
        answer(world, call)
        world.run.tool_result_sent()
    assert (world.calls, world.control_open) == (10_000, True)


def test_a_job_without_tools_has_its_worker_cut_off_when_it_calls_one() -> None:
    world = after("python", *RUNNING)
    world.call("YQ==")
    assert (world.calls, world.control_open) == (0, False)
