"""The judgement of a soak: each kind of fault is seen."""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from soak import audit, judge, measure, work
from soak.callers import Made
from soak.judge import Kill, Known
from soak.kills import COMPONENTS
from soak.repeated import Repeated
from soak.supervisors import StartCounter
from soak.work import KINDS, Job

_JOB = Job("tool call", {}, output="1\n", token="t1")
_GOOD = Made(
    "soak-1", "runs", _JOB, "run-1", "Succeeded", "Completed", "Yes", "1\n", "", began=0, seconds=1
)
_ONCE = Counter({"t1": 1})


def _problems(
    run: Made,
    counted: Counter[str] = _ONCE,
    kills: tuple[Kill, ...] = (),
    started: int = 1,
) -> list[str]:
    known = {"run-1": Known("uid-1", "pod-1")}
    return judge.problems([run], kills, known, counted, Counter({"uid-1": started}))


def test_a_run_that_did_what_it_said_is_no_problem() -> None:
    assert _problems(_GOOD) == []


@pytest.mark.parametrize(
    ("run", "counted", "said"),
    [
        (_GOOD, Counter({"t1": 2}), "twice: its call was seen 2 times"),
        (_GOOD, Counter(), "lost: it succeeded, and its call was not seen"),
        (replace(_GOOD, output="2\n"), _ONCE, "wrong: printed '2\\n', not '1\\n'"),
        (replace(_GOOD, phase=""), _ONCE, "lost: it has not ended"),
        (replace(_GOOD, problem="503"), _ONCE, "refused or lost: 503"),
        (replace(_GOOD, phase="Failed", reason="RunnerLost"), _ONCE, "ended with Failed"),
    ],
)
def test_what_is_lost_twice_or_wrong_is_said(run: Made, counted: Counter[str], said: str) -> None:
    (problem,) = _problems(run, counted)

    assert problem.startswith(f"tool call run-1 of soak-1: {said}")


def test_only_the_run_of_a_killed_pod_may_be_lost() -> None:
    lost = replace(_GOOD, phase="Failed", reason="RunnerLost")

    assert _problems(lost, kills=(Kill("run", "pod-1", 1),)) == []
    assert _problems(replace(lost, reason="PodLost"), kills=(Kill("run", "pod-1", 1),)) == []
    assert _problems(lost, kills=(Kill("run", "pod-2", 1),))
    assert _problems(lost, kills=(Kill("operator", "", 1),))


def test_a_run_whose_pod_did_not_start_is_known_by_its_uid() -> None:
    waited = replace(_GOOD, phase="Failed", reason="StartFailed", payload_started="No")
    kills = (Kill("run", "run-uid-1", 1),)

    assert _problems(waited, Counter(), kills, started=0) == []


def test_a_call_may_fail_whose_gateway_was_killed_meanwhile() -> None:
    failed = replace(_GOOD, phase="Failed", reason="CodeError", began=10, seconds=5)

    assert _problems(failed, kills=(Kill("tool-gateway", "", 12),)) == []
    assert _problems(failed, kills=(Kill("tool-gateway", "", 16),))
    assert _problems(failed, kills=(Kill("operator", "", 12),))
    lost = replace(failed, reason="RunnerLost")
    assert _problems(lost, kills=(Kill("tool-gateway", "", 12),))


def test_a_run_that_says_it_never_started_must_have_done_nothing() -> None:
    lost = replace(_GOOD, phase="Failed", reason="RunnerLost", payload_started="No")
    kills = (Kill("run", "pod-1", 1),)

    assert _problems(lost, Counter(), kills, started=0) == []
    assert "never started, but was counted" in _problems(lost, _ONCE, kills)[0]
    assert "its supervisor has started it" in _problems(lost, Counter(), kills)[0]


def test_code_that_is_started_twice_or_by_nobody_is_said() -> None:
    assert "its code was started 2 times" in _problems(_GOOD, started=2)[0]
    assert "no supervisor has started it" in _problems(_GOOD, started=0)[0]


def test_starts_are_read_once_also_of_a_log_that_is_deleted_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "runs_pod-1_uid" / "supervisor" / "0.log"
    file.parent.mkdir(parents=True)
    head = "2026-11-30T07:50:24Z stderr F "
    start = head + '{"event":"started","runUid":"uid-1"}\n'
    file.write_text(head + '{"event":"staged","runUid":"uid-1"}\n' + start[:40])
    starts = StartCounter(["runs"], tmp_path)
    starts.read()
    assert starts.started == Counter()
    with file.open("a", errors="surrogateescape") as log:
        log.write(
            start[40:] + head + "| \udcff\n" + head + '| {"event":"started","runUid":"forged"}\n'
        )
    file.unlink()
    starts.read()
    starts.read()

    assert starts.started == Counter({"uid-1": 1})


def test_a_refused_request_of_our_own_and_a_run_created_twice_are_said() -> None:
    def event(verb: str, resource: str, code: int) -> dict[str, object]:
        return {
            "verb": verb,
            "user": {"username": "system:serviceaccount:assay-system:assay-operator"},
            "objectRef": {"resource": resource, "namespace": "runs", "name": "run-1"},
            "responseStatus": {"code": code},
        }

    created = event("create", "analyticsruns", 201)

    assert audit.problems([created, event("patch", "pods", 409)]) == []
    assert audit.problems([event("patch", "leases", 422)]) == []
    assert audit.problems([created, created, event("patch", "pods", 403)]) == [
        "refused with 403: patch of pods by assay-operator, 1 times",
        "created 2 times: runs/run-1",
    ]


def test_every_kind_is_made_and_has_an_ending() -> None:
    choice = random.Random(1)
    made = [work.job(choice) for _ in range(1000)]

    assert len({job.kind for job in made}) == len(KINDS)


def test_the_heap_in_use_is_that_of_all_generations() -> None:
    info = (
        "DefNew     total 18304K, used 166K [0x0, 0x1, 0x2)\n"
        " eden space 16320K,   1% used [0x0, 0x1, 0x2)\n"
        "Tenured    total 40472K, used 23358K [0x0, 0x1, 0x2)\n"
    )

    assert measure.used_kib(info) == 166 + 23358
    with pytest.raises(OSError, match="no heap in"):
        measure.used_kib("ZHeap used 5M")


def test_samples_are_shown_over_time() -> None:
    samples = [
        measure.Sample(60.0 * minute, one, 100 + minute, 20, 30, 7)
        for minute in range(24)
        for one in COMPONENTS
    ]

    lines = measure.table(samples)

    assert lines[0].split() == ["minutes", *map(str, range(0, 24, 2))]
    assert lines[2].split()[:3] == ["operator", "MiB", "100"]


def test_definitions_of_tools_are_no_files_of_runs(tmp_path: Path) -> None:
    for name in ("runs/uid-1", "runs/uid-1.manifest.json", "runs/.definitions/digest.json"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")

    assert measure.stored_files(tmp_path) == 2


def test_what_ends_repeated_calls_is_told_by_their_end() -> None:
    called = threading.Event()

    def fail() -> None:
        called.set()
        raise ValueError("broken")

    repeated = Repeated(fail, lambda: 0)
    repeated.start()
    assert called.wait(30)
    with pytest.raises(ValueError, match="broken"):
        repeated.stop()
    repeated.stop()
