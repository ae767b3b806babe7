"""Datasets of a Pod that was made before its job: the supervisor alone can read snapshots."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import frame_changes
from assay_runner.snapshot_files import FRAME, store_frame
from assay_runner.supervisor.jobs import Dataset
from assay_runner.supervisor.refusals import Code, Refusal
from assay_runner.supervisor.snapshots import MAX_FILES, Snapshots, handover
from local_runner import NewRunner, Runner
from runner_client import Finished, python_job, query_job

pytestmark = pytest.mark.slow

FLIGHTS = "snapshots/u1/1-0"
STORES = "snapshots/u2/3-0"
FOLDER = "snapshots/u3/1-0"
NARROW = "snapshots/u4/1-0"
WIDE = "snapshots/u5/1-0"
MIXED = "snapshots/u6/1-0"

# Each change has the frame as it was loaded: a forked process has a private mapping of its own.
_CHANGE_IN_PLACE = """
import hashlib, os
print(is_in_a_file(df['i'].array._ndarray), flush=True)
for change in CHANGES:
    if not (process := os.fork()):
        seen = hashlib.sha256(repr(outcome(change, df)).encode()).hexdigest()
        print(change, seen, flush=True)
        os._exit(0)
    os.waitpid(process, 0)
df.loc[:, 'i'] += 1
df['f'].array[:] = 0.5
print(int(df['i'].sum()), float(df['f'].sum()))
"""


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    """The snapshots of a namespace: a table, another one, and one of several files."""
    volume = tmp_path / "volume"
    for path, frame in (
        (FLIGHTS, pd.DataFrame({"carrier": ["UA", "AA", "UA"], "distance": [10, 20, 30]})),
        (STORES, pd.DataFrame({"store": ["b"], "price": [1.5]})),
    ):
        directory = volume / path
        directory.mkdir(parents=True)
        frame.to_csv(directory / "source.csv", index=False)
        frame.to_parquet(directory / "frame.parquet")
        assert store_frame(frame, str(directory))
        describe(directory, ["frame.parquet"], hive=False, version=1)
    for year in (2023, 2024):
        part = volume / FOLDER / "source" / f"year={year}"
        part.mkdir(parents=True)
        pd.DataFrame({"amount": [year - 2000]}).to_parquet(part / "part.parquet")
    describe(volume / FOLDER, ["source/**/*.parquet"], hive=True, version=3, frameless=True)
    return volume


def describe(directory: Path, files: list[str], *, hive: bool, **members: object) -> None:
    table = {"files": files, "hive": hive, "columns": [], "rows": 3}
    described = {
        "format": "csv",
        "frame": {"file": "frame.arrow"},
        "pandas": pd.__version__,
        "table": table,
        **members,
    }
    (directory / "description.json").write_text(json.dumps(described))


@pytest.fixture
def warm(new_runner: NewRunner, volume: Path) -> Callable[[], Runner]:
    """Starts a runner that has been given no dataset."""
    return lambda: new_runner(supervisor_environment={"ASSAY_SNAPSHOTS_DIR": str(volume)})


def given(*datasets: tuple[str, str, str]) -> list[dict[str, str]]:
    return [
        {"name": name, "displayName": display_name, "path": path}
        for name, display_name, path in datasets
    ]


BOTH = given(("flights", "Flights 2013", FLIGHTS), ("stores", "stores", STORES))


def rows(finished: Finished) -> Any:
    assert finished.outcome == "Succeeded", finished.error
    return json.loads(base64.b64decode(finished.result["valueJson"]))["table"]["rows"]


def test_code_finds_the_datasets_of_its_job_as_variables_and_files(
    warm: Callable[[], Runner],
) -> None:
    runner = warm()
    job = python_job(
        "import duckdb, pathlib, polars as pl\n"
        "df.loc[0, 'distance'] = 11\n"
        "print(df['distance'].sum(), list(stores), list(datasets))\n"
        "print(pd.read_csv('Flights 2013.csv')['distance'].sum())\n"
        "print(pl.scan_csv('Flights 2013.csv').collect().height, open('stores.csv').readline())\n"
        "print(duckdb.sql('select sum(distance) from \"Flights 2013.csv\"').fetchall())\n"
        "print(sorted(path.name for path in pathlib.Path().iterdir()))\n"
    )
    finished = runner.client.finish({**job, "datasets": BOTH})
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "61 ['store', 'price'] ['flights', 'stores']",
        "60",
        "3 store,price",
        "",
        "[(60,)]",
        "['Flights 2013.csv', 'main.py', 'stores.csv']",
    ]


def test_polars_reads_tables_of_one_file_and_of_several(warm: Callable[[], Runner]) -> None:
    folder = given(("sales", "sales", FOLDER))
    code = "flights.select(pl.sum('distance'), pl.lit(sales.collect()['amount'].sum()))"
    finished = warm().client.finish(query_job("polars", code, datasets=[*BOTH, *folder]))
    assert rows(finished) == [[60, 47]]
    years = warm().client.finish(
        query_job("polars", "sales.select('year', 'amount').sort('year')", datasets=folder)
    )
    assert rows(years) == [[2023, 23], [2024, 24]]


def test_directories_of_datasets_are_read_only(warm: Callable[[], Runner]) -> None:
    """So that no engine replaces a link by a file. The user of this test may be root."""
    folder = given(("sales", "sales", FOLDER))
    code = (
        "import os\n"
        "for folder, _, _ in sorted(os.walk(datasets.directory)):\n"
        "    name = os.path.relpath(folder, datasets.directory)\n"
        "    print(name, oct(os.stat(folder).st_mode & 0o777))\n"
    )
    finished = warm().client.finish({**python_job(code), "datasets": [*BOTH, *folder]})
    assert finished.text.splitlines()[1:] == [
        "flights 0o555",
        "sales 0o555",
        "sales/source 0o555",
        "sales/source/year=2023 0o555",
        "sales/source/year=2024 0o555",
        "stores 0o555",
    ]


@pytest.mark.parametrize(
    ("path", "rows", "columns", "dtypes", "mapped"),
    [(NARROW, 30_000, 0, "q", True), (WIDE, 8_000, 30, "q", True), (MIXED, 8_000, 30, "qd", False)],
    ids=["narrow", "wide", "copied"],
)
def test_a_large_frame_is_changed_in_place_as_in_a_cold_run_and_its_file_is_not(
    warm: Callable[[], Runner],
    new_runner: NewRunner,
    volume: Path,
    path: str,
    rows: int,
    columns: int,
    dtypes: str,
    mapped: bool,
) -> None:
    directory = volume / path
    directory.mkdir(parents=True)
    assert store_frame(frame_changes.sample(rows, columns, dtypes), str(directory))
    (directory / "source.csv").write_text("never read\n")
    describe(directory, [], hive=False, version=1)
    assert (directory / FRAME).stat().st_size > 2 * 2**20
    before = {file.name: file.read_bytes() for file in directory.iterdir()}
    job = python_job(Path(frame_changes.__file__).read_text() + _CHANGE_IN_PLACE)
    given_frame = {**job, "datasets": given(("large", "large", path))}
    in_warm = warm().client.finish(given_frame)
    in_cold = new_runner(datasets={"large": directory}).client.finish(job)
    assert in_warm.error is None, in_warm.error
    assert in_cold.error is None, in_cold.error
    lines = in_warm.text.splitlines()
    assert lines == in_cold.text.splitlines()
    assert len(lines) == len(frame_changes.CHANGES) + 2
    assert lines[0] == str(mapped)
    assert {file.name: file.read_bytes() for file in directory.iterdir()} == before


def test_code_mode_finds_raw_data_and_tables(warm: Callable[[], Runner]) -> None:
    job = python_job("print(open('data/raw/stores.csv').read().split())", outputBytes=1000)
    finished = warm().client.finish({**job, "mode": "code", "datasets": BOTH})
    assert finished.error is None, finished.error
    assert finished.text == "['store,price', 'b,1.5']\n"


def test_hello_identifies_the_snapshots_of_the_staged_job(warm: Callable[[], Runner]) -> None:
    client = warm().client
    assert client.hello()["snapshots"] is None
    client.stage({**python_job("print(1)"), "datasets": BOTH})
    named = f"flights {FLIGHTS}\0stores {STORES}\0"
    assert client.hello()["snapshots"] == hashlib.sha256(named.encode()).hexdigest()


def test_hello_identifies_no_snapshots_of_a_job_without_datasets(
    warm: Callable[[], Runner],
) -> None:
    client = warm().client
    client.stage(python_job("print(1)"))
    assert client.hello()["snapshots"] is None


def test_a_job_that_is_staged_before_the_launcher_connects_has_its_datasets(
    new_runner: NewRunner, volume: Path, tmp_path: Path
) -> None:
    runner = new_runner(None, supervisor_environment={"ASSAY_SNAPSHOTS_DIR": str(volume)})
    reply = runner.client.stage({**python_job("print(1)"), "datasets": BOTH})
    assert reply.status == 200
    with socket.socket(socket.AF_UNIX) as launcher:
        launcher.connect(str(runner.socket))
        readable, writable = os.pipe()
        control, other = socket.socketpair()
        hello = b'{"type":"hello","worker":"python","pipeError":null}'
        frame = len(hello).to_bytes(4, "big") + hello
        socket.send_fds(launcher, [frame], [readable, control.fileno()])
        data, descriptors, _, _ = socket.recv_fds(launcher, 65536, 16)
        assert b'"name":"flights"' in data
        assert len(descriptors) == 4
        for descriptor in (*descriptors, readable, writable):
            os.close(descriptor)
        control.close()
        other.close()


def test_a_launcher_that_cannot_link_the_datasets_ends_the_run(
    new_runner: NewRunner, volume: Path, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    runner = new_runner(
        supervisor_environment={"ASSAY_SNAPSHOTS_DIR": str(volume)},
        worker_environment={"ASSAY_DATASETS_DIR": str(file)},
    )
    finished = runner.client.finish({**python_job("print(1)"), "datasets": BOTH})
    assert finished.error["type"] == "HandoverFailed"
    assert finished.error["message"] == "could not link the datasets: Not a directory"
    assert [event["type"] for event in finished.events] == ["result"]


def test_a_runner_with_snapshots_says_so(warm: Callable[[], Runner], unstarted: Any) -> None:
    assert "snapshots" in warm().client.hello()["features"]
    assert "snapshots" not in unstarted.hello()["features"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/etc", 400, "Malformed"),
        ("snapshots/../../etc", 400, "Malformed"),
        ("snapshots//u1", 400, "Malformed"),
        ("snapshots/none", 404, "NotFound"),
        (f"{FLIGHTS}/source.csv", 404, "NotFound"),
        ("snapshots/link", 404, "NotFound"),
        ("snapshots/with-link", 404, "NotFound"),
        ("snapshots/with-pipe", 404, "NotFound"),
        ("snapshots/with-directory", 404, "NotFound"),
        ("snapshots/many", 413, "TooLarge"),
        ("snapshots/crowded", 413, "TooLarge"),
        ("snapshots/branched", 413, "TooLarge"),
    ],
)
def test_a_path_leads_to_a_snapshot_of_files_only(
    warm: Callable[[], Runner], volume: Path, path: str, status: int, code: str
) -> None:
    (volume / "snapshots" / "link").symlink_to(volume / FLIGHTS)
    (volume / "snapshots" / "with-link").mkdir()
    (volume / "snapshots" / "with-link" / "source.csv").symlink_to("/etc/passwd")
    (volume / "snapshots" / "with-pipe").mkdir()
    os.mkfifo(volume / "snapshots" / "with-pipe" / "source.csv")
    (volume / "snapshots" / "with-directory" / "source.csv").mkdir(parents=True)
    fill(volume / "snapshots" / "many", MAX_FILES + 1)
    fill(volume / "snapshots" / "crowded", 1025)
    for number in range(513):
        (volume / "snapshots" / "branched" / str(number) / "empty").mkdir(parents=True)
    client = warm().client
    job = {**python_job(""), "datasets": given(("a", "a", path))}
    reply = client.stage_unchecked(client.body("stage", job=job))
    assert (reply.status, reply.code) == (status, code)
    assert client.hello()["state"] == "Idle"


def fill(directory: Path, count: int) -> None:
    directory.mkdir()
    for number in range(count):
        (directory / str(number)).touch()


def test_a_pod_that_mounts_no_snapshots_refuses_their_paths(unstarted: Any) -> None:
    job = {**python_job(""), "datasets": BOTH}
    reply = unstarted.stage(job)
    assert (reply.status, reply.code) == (422, "WrongKind")


def test_all_datasets_of_a_job_have_a_path_or_none_has(warm: Callable[[], Runner]) -> None:
    job = {**python_job(""), "datasets": [*BOTH, {"name": "other"}]}
    reply = warm().client.stage(job)
    assert (reply.status, reply.code) == (400, "Malformed")


def test_a_refusal_leaves_no_file_open(volume: Path) -> None:
    before = os.listdir("/proc/self/fd")
    with pytest.raises(Refusal) as refused:
        Snapshots(str(volume)).open((Dataset("a", "a", FLIGHTS), Dataset("b", "b", "none")))
    assert refused.value.code is Code.NOT_FOUND
    assert refused.value.message == (
        "the snapshot of dataset b cannot be read: No such file or directory"
    )
    assert os.listdir("/proc/self/fd") == before


def test_many_files_are_handed_over_in_several_messages(tmp_path: Path) -> None:
    fill(tmp_path / "a", 20)
    fill(tmp_path / "b", 2)
    snapshots = Snapshots(str(tmp_path))
    snapshots.open((Dataset("a", "A", "a"), Dataset("b", "B", "b")))
    files = snapshots.take()
    assert snapshots.take() == []
    messages = [message for message, _ in handover(files)]
    assert [(m["name"], len(m["files"]), m["last"]) for m in messages] == [
        ("a", 16, False),
        ("a", 4, False),
        ("b", 2, True),
    ]
    for file in files:
        os.close(file.descriptor)
