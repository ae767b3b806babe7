"""Which scenarios a call of dev/e2e runs, and what it keeps of them."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from e2e import cli, plan, selection
from e2e.errors import E2eError
from e2e.plan import RECIPE, WARM_POOLS, Phase, Shard, Unit
from e2e.report import table
from e2e.results import Results, summary
from e2e.scenarios import Outcome, ended_class

ONE, TWO, THREE = (Unit(Phase.SCENARIOS, f"{name}E2E") for name in ("One", "Two", "Three"))
ONE_WARM, TWO_WARM = (Unit(Phase.WARM, f"{name}E2E") for name in ("One", "Two"))
EVERYTHING = [ONE, TWO, THREE, ONE_WARM, TWO_WARM, WARM_POOLS, RECIPE]

CASE = '<testcase classname="dev.assay.e2e.X" name="a()" time="1">{}</testcase>'
PASSED = CASE.format("")
FAILED = CASE.format('<failure message="no"/>')


def git(work_tree: Path, *arguments: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", "-C", work_tree, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def work_tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    git(tree, "init", "--quiet")
    (tree / "file").write_text("one")
    git(tree, "add", ".")
    git(tree, "commit", "-m", "one")
    return tree


@pytest.fixture
def results(tmp_path: Path, work_tree: Path) -> Results:
    return Results.open(tmp_path / "results", work_tree)


def report(directory: Path, case: str, seconds: float = 1) -> Path:
    file = directory / "report.xml"
    file.write_text(f'<testsuite time="{seconds}">{case}</testsuite>')
    return file


def test_all_shards_together_are_everything_and_share_nothing() -> None:
    everything = plan.units(plan.tags())
    durations = plan.read_durations()
    for count in (1, 2, 3, 7, 200):
        parts = [
            plan.of_shard(everything, durations, Shard(number, count))
            for number in range(1, count + 1)
        ]
        assert sorted(unit for part in parts for unit in part) == sorted(everything)


def test_shards_take_about_as_long() -> None:
    durations = {ONE: 100.0, TWO: 60.0, THREE: 50.0, ONE_WARM: 5.0, TWO_WARM: 5.0, RECIPE: 5.0}
    parts = [plan.of_shard(EVERYTHING, durations, Shard(number, 2)) for number in (1, 2)]
    assert sorted(sum(durations.get(unit, 0) for unit in part) for part in parts) == [110, 115]


def test_the_phase_with_warm_pools_belongs_to_one_shard() -> None:
    parts = [plan.of_shard(EVERYTHING, {}, Shard(number, 3)) for number in (1, 2, 3)]
    warm = {ONE_WARM, TWO_WARM, WARM_POOLS}
    assert [warm & set(part) for part in parts if warm & set(part)] == [warm]


def test_every_scenario_class_of_the_sources_is_in_a_full_run() -> None:
    tags = plan.tags()
    assert tags["LargeDataE2E"] == {"full"}
    # One by its class, the other by each method.
    assert tags["CorpusE2E"] == {"full", "warm"}
    assert {"core", "full", "local", "slow", "warm"} >= tags["IsolationE2E"] >= {"core", "warm"}
    in_scenarios = {unit.name for unit in plan.units(tags) if unit.phase is Phase.SCENARIOS}
    assert in_scenarios == set(tags)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "3", "a/b", "-1/3", "1/3/5"])
def test_a_shard_out_of_range_is_refused_in_words(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--all", f"--shard={text}"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "argument --shard" in said
    assert text in said


def test_gvisor_is_not_for_all_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["--all", "--gvisor"])
    assert end.value.code == 2
    assert "--gvisor is for some scenarios" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--resume"], ["--shard", "1/2"], ["--all", "--resume", "--warm"]]
)
def test_parts_are_of_a_full_run_only(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert "--all" in capsys.readouterr().err


def test_what_has_passed_is_not_pending_and_what_failed_is(
    results: Results, tmp_path: Path
) -> None:
    results.keep_report(ONE, report(tmp_path, PASSED))
    results.keep_report(TWO, report(tmp_path, FAILED))
    assert plan.pending([ONE, TWO, THREE], results.passed()) == [TWO, THREE]


def test_warm_pools_are_judged_again_with_each_class_that_runs_in_them() -> None:
    warm = [ONE_WARM, TWO_WARM, WARM_POOLS]
    assert plan.pending(warm, {ONE_WARM, WARM_POOLS}) == [TWO_WARM, WARM_POOLS]
    # No call is left by which to judge.
    assert plan.pending(warm, {ONE_WARM, TWO_WARM}) == warm
    assert plan.pending(warm, set(warm)) == []


def test_the_summary_is_complete_only_when_everything_has_passed(
    results: Results, tmp_path: Path
) -> None:
    results.keep_report(ONE, report(tmp_path, PASSED))
    results.keep_report(TWO, report(tmp_path, FAILED))
    everything = [ONE, TWO, TWO_WARM, RECIPE]
    assert summary(results, everything) == (
        f"commit {results.short}: 1 of 4 passed, 1 failed, 2 missing\n"
        "  failed: TwoE2E\n"
        "  missing: TwoE2E, warm\n"
        "  missing: recipe"
    )
    results.keep_report(TWO, report(tmp_path, PASSED))
    results.keep_report(TWO_WARM, report(tmp_path, PASSED))
    results.keep(RECIPE, Outcome("recipe", "an image conforms", True, 2.5))
    assert summary(results, everything) == f"commit {results.short}: all 4 passed"
    results.keep(RECIPE, Outcome("recipe", "an image conforms", False, 2.5, "it does not"))
    assert "failed: recipe" in summary(results, everything)


def test_what_runs_again_no_longer_counts(results: Results, tmp_path: Path) -> None:
    results.keep_report(ONE, report(tmp_path, PASSED))
    results.forget([ONE, TWO])
    assert results.passed() == set()


def test_results_of_another_commit_do_not_count(
    results: Results, tmp_path: Path, work_tree: Path
) -> None:
    results.keep_report(ONE, report(tmp_path, PASSED))
    git(work_tree, "commit", "--allow-empty", "-m", "two")
    assert Results.open(tmp_path / "results", work_tree).passed() == set()
    # Nor does what still runs, of a commit that is no longer checked out.
    results.keep_report(TWO, report(tmp_path, PASSED))
    assert results.passed() == {ONE}


@pytest.mark.parametrize("name", ["file", "new"])
def test_a_work_tree_with_changes_has_no_results(
    name: str, results: Results, tmp_path: Path, work_tree: Path
) -> None:
    (work_tree / name).write_text("two")
    with pytest.raises(E2eError, match=f"commit or stash the changes .*{name}"):
        Results.open(tmp_path / "results", work_tree)
    results.keep_report(ONE, report(tmp_path, PASSED))
    git(work_tree, "stash", "--include-untracked")
    # What runs now may have been compiled from the changes.
    results.keep_report(TWO, report(tmp_path, PASSED))
    assert results.passed() == set()


def test_a_killed_run_keeps_each_class_that_had_ended(
    results: Results, tmp_path: Path, work_tree: Path
) -> None:
    program = f"""
import os, signal
from pathlib import Path
from e2e.plan import Phase, Unit
from e2e.results import Results
results = Results.open(Path({str(tmp_path / "results")!r}), Path({str(work_tree)!r}))
results.keep_report(Unit(Phase.SCENARIOS, "OneE2E"), Path({str(report(tmp_path, PASSED))!r}))
os.replace = lambda *files: os.kill(os.getpid(), signal.SIGKILL)
results.keep_report(Unit(Phase.SCENARIOS, "TwoE2E"), Path({str(report(tmp_path, PASSED))!r}))
"""
    killed = subprocess.run([sys.executable, "-c", program], cwd=Path(cli.__file__).parents[1])
    assert killed.returncode == -signal.SIGKILL
    assert results.passed() == {ONE}
    assert plan.pending([ONE, TWO], results.passed()) == [TWO]


def test_images_of_another_build_are_refused(results: Results) -> None:
    with pytest.raises(E2eError, match="leave out --skip-images"):
        results.check_images({"assay/runner": "sha256:a"})
    results.keep_images({"assay/runner": "sha256:a", "assay/operator": "sha256:b"})
    results.check_images({"assay/runner": "sha256:a", "assay/operator": "sha256:b"})
    with pytest.raises(E2eError, match=r"\(assay/operator\)"):
        results.check_images({"assay/runner": "sha256:a", "assay/operator": "sha256:c"})


def test_durations_are_read_as_they_were_written(results: Results, tmp_path: Path) -> None:
    results.keep_report(ONE, report(tmp_path, PASSED, 12.25))
    results.keep_report(ONE_WARM, report(tmp_path, PASSED, 3))
    results.keep(RECIPE, Outcome("recipe", "an image conforms", True, 100))
    plan.write_durations(results.seconds(), tmp_path / "durations.json")
    written = plan.read_durations(tmp_path / "durations.json")
    assert written == {ONE: 12.2, ONE_WARM: 3.0, RECIPE: 100.0}


def test_a_class_has_ended_when_surefire_counts_its_tests() -> None:
    counted = "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 3 s"
    assert ended_class(f"[INFO] {counted} -- in dev.assay.e2e.RestE2E\n") == "RestE2E"
    assert ended_class(f"[ERROR] {counted} <<< FAILURE! -- in dev.assay.e2e.RestE2E") == "RestE2E"
    assert ended_class("[INFO] Running dev.assay.e2e.RestE2E") is None
    assert ended_class("[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0") is None


def options(**given: object) -> argparse.Namespace:
    none = {"all": False, "shard": None, "resume": False, "warm": False, "test": None}
    return argparse.Namespace(**none | given)


def test_core_scenarios_and_chosen_ones_are_not_counted() -> None:
    core = selection.choose(options())
    assert (core.scenarios, core.tags, core.warm, core.recipe) == ("*E2E", "core", "", False)
    one = selection.choose(options(test="RestE2E#a*", all=True))
    assert (one.scenarios, one.tags, one.warm) == ("RestE2E#a*", "core | full", "RestE2E#a*")
    assert core.results is one.results is None


def test_a_resumed_shard_runs_what_is_left_of_it(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = {"OneE2E": {"core", "warm"}, "TwoE2E": {"full"}, "ThreeE2E": {"core"}}
    monkeypatch.setattr(plan, "tags", lambda: tags)
    monkeypatch.setattr(Results, "open", lambda: results)
    first = selection.choose(options(all=True, shard=Shard(1, 1)))
    assert (first.scenarios, first.warm, first.recipe) == ("OneE2E,ThreeE2E,TwoE2E", "OneE2E", True)
    first.keep_report(Phase.SCENARIOS, "OneE2E", report(tmp_path, PASSED))
    first.keep_report(Phase.SCENARIOS, "TwoE2E", report(tmp_path, FAILED))
    first.keep_report(Phase.WARM, "OneE2E", report(tmp_path, PASSED))
    first.keep(WARM_POOLS, Outcome("warm pools", "warm Pods", True, 0))
    rest = selection.choose(options(all=True, shard=Shard(1, 1), resume=True))
    assert (rest.scenarios, rest.warm, rest.recipe) == ("ThreeE2E,TwoE2E", "", True)
    # Without --resume everything runs again, and counts again only then.
    assert selection.choose(options(all=True)).scenarios == first.scenarios
    assert results.passed() == set()


def test_the_table_ends_with_the_failed_tests_and_their_messages() -> None:
    rows = table(
        [
            Outcome("OneE2E", "fails()", False, 1, "expected 1\nbut was 2"),
            Outcome("TwoE2E", "row [1]", True, 1),
            Outcome("TwoE2E", "row [2]", False, 1, "no"),
            Outcome("TwoE2E", "row [3]", True, 1),
        ]
    ).splitlines()
    assert [row.split()[:2] for row in rows[1:]] == [
        ["TwoE2E", "row"],
        ["OneE2E", "fails()"],
        ["expected", "1"],
        ["but", "was"],
        ["TwoE2E", "row"],
        ["no"],
    ]
