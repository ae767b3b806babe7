"""The parts of the goals and of the query sets that need no cluster."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench import goals, mcp, memory, pods, queries
from bench.goals import Goal, chart, csv_table, export
from bench.in_pod import program
from bench.queries import Compared
from bench.runs import seconds_between


def test_the_table_of_goals_says_which_are_not_met() -> None:
    met = Goal("loading", "<=", 20, 19.5, "calls", "a")
    missed = Goal("group-by", ">=", 5, 4.9, "", "b")
    lines = goals.table([met, missed]).splitlines()
    assert lines[2] == "| loading | <= 20 calls | 19.50 calls | a |"
    assert lines[3] == "| group-by | >= 5 | 4.90, not met | b |"
    assert [line["met"] for line in json.loads(goals.as_json([met, missed]))] == [True, False]


def test_the_table_of_queries_has_the_ratio_of_the_sums_of_medians() -> None:
    compared = [
        Compared("q1", [30, 10, 20], [25, 25, 25], [10, 10, 10], [5, 5, 5]),
        Compared("q2", [80, 80, 80], [100, 100, 100], [90, 90, 90], [45, 45, 45]),
    ]
    lines = queries.table(compared).splitlines()
    assert lines[2] == "| q1 | 20 | 25 | 0.80 | 10 | 2.00 | 5 | 4.00 |"
    assert lines[4] == "| sum | 100 | 125 | 0.80 | 100 | 1.00 | 50 | 2.00 |"


def test_a_program_gets_its_parameters_whatever_they_contain(tmp_path: Path) -> None:
    query = """SELECT 'it''s', "q", '\\n{}' AS a -- é"""
    parameters = {"threads": 1, "views": {}, "rows": 1, "queries": {"q": query}}
    file = tmp_path / "main.py"
    text = program("duckdb_peer", parameters)
    file.write_text(text.partition("def connect")[0] + "print(json.dumps(PARAMETERS))\n")
    printed = subprocess.run([sys.executable, file], check=True, capture_output=True).stdout
    assert json.loads(printed) == parameters


@pytest.mark.parametrize(
    ("directory", "line"), [("", "anon 4096"), ("memory", "total_rss 4096")], ids=["v2", "v1"]
)
def test_memory_is_read_in_both_versions_of_cgroups(
    tmp_path: Path, directory: str, line: str
) -> None:
    if not directory:
        (tmp_path / "cgroup.controllers").touch()
    group = tmp_path / directory / "cluster" / "kubepods" / "burstable" / "poduid-1"
    group.mkdir(parents=True)
    (group / "memory.stat").write_text(f"cache 1\n{line}\nfile 7\n")
    assert memory.pod_groups("cluster", "uid-1", tmp_path) == [group]
    with memory.PeakMemory([group]) as peak:
        pass
    assert peak.first == peak.peak == 4096


def test_of_replicas_the_largest_counts(tmp_path: Path) -> None:
    sizes = {"leader": 3 << 20, "standby": 1 << 20}
    for name, size in sizes.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "memory.stat").write_text(f"anon {size}\n")
    largest = memory.LargestPod([[tmp_path / name] for name in sizes])
    assert largest.read()
    (tmp_path / "leader" / "memory.stat").write_text("anon 0\n")
    assert largest.read()
    assert largest.mib == 3


def test_the_csv_file_has_its_size_and_the_same_lines_each_time(tmp_path: Path) -> None:
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        csv_table.write(file, size=1000)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size >= 1000
    with files[0].open(encoding="utf-8") as lines:
        assert {len(row) for row in csv.reader(lines)} == {6}


def test_a_pod_with_the_worker_alone_has_what_that_mounts() -> None:
    def container(name: str, *volumes: str) -> dict[str, Any]:
        return {"name": name, "volumeMounts": [{"name": volume} for volume in volumes]}

    run_pod = {
        "spec": {
            "nodeName": "n",
            "containers": [container("worker", "scratch", "data"), container("supervisor", "keys")],
            "volumes": [{"name": "scratch"}, {"name": "keys"}, {"name": "data"}],
        }
    }
    spec = pods.with_worker_alone(run_pod, "print(1)")
    assert [one["command"][-1] for one in spec["containers"]] == ["print(1)"]
    assert [volume["name"] for volume in spec["volumes"]] == ["scratch", "data"]
    assert "nodeName" not in spec


def test_steps_of_a_run_are_subtracted() -> None:
    timings = {"started": "2026-01-01T00:00:59.5Z", "finished": "2026-01-01T00:01:00Z"}
    assert seconds_between({"timings": timings}, "started", "finished") == 0.5


def test_the_tokens_of_a_picture_follow_from_its_size() -> None:
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (600).to_bytes(4, "big") + (360).to_bytes(4, "big")
    assert chart.image_tokens(png + b"\x08\x06") == 288


def test_the_pictures_of_a_reply_are_read() -> None:
    block = {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
    assert mcp.images([{"type": "text", "text": "a"}, block]) == (b"\x89PNG",)


def test_an_export_is_compared_round_by_round() -> None:
    goal = export.goal("xlsx", [130.0, 300.0, 120.0], [60, 60, 60], [40, 40, 40])
    assert goal.measured == 1.3
    assert goal.is_met
    assert goal.conditions == "130 / 60 + 40 ms"


def test_the_program_of_the_guard_judges_the_longest_code(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(program("guard_times", {"rounds": 1}))
    source = Path(__file__).resolve().parents[2] / "images" / "runner" / "src"
    printed = subprocess.run(
        [sys.executable, file], check=True, capture_output=True, env={"PYTHONPATH": str(source)}
    ).stdout
    assert {"ordinary code", "calls"} < set(json.loads(printed))
