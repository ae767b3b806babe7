"""Snapshots made and loaded through the real processes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay_runner import snapshot_files, snapshot_loading
from assay_runner.snapshot.description import columns_of, value_of
from assay_runner.snapshot.table import Table
from local_runner import NewRunner, Runner
from runner_client import Finished, snapshot_job

pytestmark = pytest.mark.slow

Make = Callable[..., "Made"]


class Made:
    """A snapshot run and its snapshot directory."""

    def __init__(self, runner: Runner, finished: Finished) -> None:
        self.finished = finished
        self.directory = runner.snapshot

    @property
    def value(self) -> dict[str, object]:
        """The result's value."""
        assert self.finished.outcome == "Succeeded", self.finished.result
        value: dict[str, object] = self.finished.result["value"]
        return value

    @property
    def description(self) -> dict[str, object]:
        """The description file."""
        description: dict[str, object] = json.loads(
            (self.directory / "description.json").read_text()
        )
        return description


@pytest.fixture
def make(new_runner: NewRunner) -> Make:
    """Make a snapshot of inline text or of a file on the volume."""

    def make_snapshot(
        source_format: str,
        text: str | None = None,
        *,
        file: Callable[[Path], object] | None = None,
        **source: object,
    ) -> Made:
        runner = new_runner("snapshot")
        if file is None:
            job = snapshot_job(format=source_format, text=text, **source)
        else:
            file(runner.source)
            job = snapshot_job(format=source_format, path="data", **source)
        return Made(runner, runner.client.finish(job))

    return make_snapshot


CSV = "n,i,s,b,d\n1,1,x,True,2024-01-01\n2,,é😀,False,2024-02-01\n3,3,,,\n"


@pytest.mark.executed
def test_a_csv_snapshot_is_described_and_loads_as_pandas_reads_it(
    make: Make, new_runner: NewRunner
) -> None:
    made = make("csv", CSV)
    source = CSV.encode()
    assert made.value["sha256"] == hashlib.sha256(source).hexdigest()
    assert made.value["bytes"] == len(source)
    assert (made.value["rows"], made.value["columnCount"], made.value["frame"]) == (3, 5, "arrow")
    assert made.value["columns"] == [
        {"name": "n", "type": "int64", "nulls": 0, "samples": ["1", "2", "3"]},
        {"name": "i", "type": "float64", "nulls": 1, "samples": ["1.0", "3.0"]},
        {"name": "s", "type": "str", "nulls": 1, "samples": ["x", "é😀"]},
        {"name": "b", "type": "object", "nulls": 1, "samples": ["True", "False"]},
        {"name": "d", "type": "str", "nulls": 1, "samples": ["2024-01-01", "2024-02-01"]},
    ]
    assert (made.directory / "source.csv").read_bytes() == source
    assert sorted(os.listdir(made.directory)) == [
        *("description.json", "frame.arrow", "frame.parquet", "source.csv")
    ]
    assert made.description["source"] == {
        "file": "source.csv",
        "bytes": len(source),
        "sha256": made.value["sha256"],
    }
    memory, peak = made.value["memoryBytes"], made.value["peakMemoryBytes"]
    assert isinstance(memory, int)
    assert isinstance(peak, int)
    assert 0 < memory <= peak
    assert made.description["pandas"] == pd.__version__
    finished = new_runner(datasets={"sales": made.directory}).client.run(
        "import io\n"
        f"expected = pd.read_csv(io.StringIO({CSV!r}))\n"
        "pd.testing.assert_frame_equal(df, expected, check_exact=True)\n"
        "print(df.dtypes.equals(expected.dtypes), df is datasets['sales'])\n"
        "df.loc[0, 'n'] = 10\n"
        "df['n2'] = df['n'] * 2\n"
        "df.fillna({'i': 0}, inplace=True)\n"
        "df.loc[1, 's'] = 'new'\n"
        "df.iloc[2, 3] = True\n"
        "df.sort_values('n', inplace=True)\n"
        "print(df['n'].tolist(), df['i'].tolist(), df['s'].tolist()[0], df['b'].tolist())\n"
    )
    assert finished.error is None, finished.error
    assert finished.text == "True True\n[2, 3, 10] [0.0, 3.0, 1.0] new [False, True, True]\n"


def test_a_json_snapshot_is_an_array_of_records(make: Make) -> None:
    text = '[{"a": 1, "b": null, "when": "2024-01-01"}, {"a": 2, "b": "é", "c": 1.5}]'
    made = make("json", text)
    assert made.value["rows"] == 2
    columns = made.value["columns"]
    assert isinstance(columns, list)
    assert [column["name"] for column in columns] == ["a", "b", "when", "c"]


def test_a_parquet_snapshot_keeps_categories_time_zone_and_index(
    make: Make, new_runner: NewRunner
) -> None:
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(["b", "a", "b"], categories=["b", "a"], ordered=True),
            "when": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin"),
            "count": pd.array([1, None, 3], dtype="Int64"),
        },
        index=pd.Index(["x", "y", "z"], name="key"),
    )
    made = make("parquet", file=lambda volume: frame.to_parquet(volume / "data"))
    assert made.value["frame"] == "arrow"
    finished = new_runner(datasets={"d": made.directory}).client.run(
        "print(df['kind'].dtype, list(df['kind'].cat.categories), df['when'].dtype.tz,\n"
        "      df['count'].dtype, df.index.name, list(df.index))\n"
        "df.loc['x', 'kind'] = 'a'\n"
        "df.loc['x', 'count'] = 9\n"
        "df.loc['x', 'when'] = df.loc['z', 'when']\n"
        "print(df.loc['x', 'kind'], df.loc['x', 'count'], df.loc['x', 'when'].day)\n"
    )
    assert finished.error is None, finished.error
    assert finished.text == ("category ['b', 'a'] Europe/Berlin Int64 key ['x', 'y', 'z']\na 9 3\n")


@pytest.mark.executed
def test_a_frame_that_arrow_cannot_hold_is_read_from_the_source_at_start(
    make: Make, new_runner: NewRunner
) -> None:
    text = '[{"a": 1}, {"a": "x"}, {"a": [1]}]'
    made = make("json", text, options={"types": "pandas"})
    assert made.value["frame"] == "source"
    assert made.description["frame"] is None
    assert not (made.directory / "frame.arrow").exists()
    finished = new_runner(datasets={"d": made.directory}).client.run("print(df['a'].tolist())")
    assert finished.text == "[1, 'x', [1]]\n"


def put_a_large_number(volume: Path) -> None:
    (volume / "data").write_text("a||b\n184467440737095516150||x\n")


def test_reading_a_source_again_warns_of_nothing_in_a_run(
    make: Make, new_runner: NewRunner
) -> None:
    # Other engines than the usual one are warned of.
    made = make("csv", file=put_a_large_number, options={"sep": r"\|\|", "types": "pandas"})
    assert made.value["frame"] == "source"
    finished = new_runner(datasets={"d": made.directory}).client.run("print(df['b'].tolist())")
    assert finished.text == "['x']\n"


def test_a_frame_stored_by_another_pandas_is_read_from_the_source(tmp_path: Path) -> None:
    (tmp_path / "source.csv").write_text("a\n1\n")
    (tmp_path / "description.json").write_text(
        '{"version": 1, "format": "csv", "frame": {"file": "frame.arrow"}, "pandas": "2.0.0"}'
    )
    assert snapshot_loading.load(str(tmp_path))["a"].tolist() == [1]


def test_other_datasets_are_loaded_by_name_when_they_are_used(
    make: Make, new_runner: NewRunner
) -> None:
    first, second = make("csv", "a\n1\n"), make("csv", "b\n2\n")
    finished = new_runner(datasets={"one": first.directory, "two": second.directory}).client.run(
        "print(list(df), list(datasets), list(datasets['two']), 'three' in datasets)\n"
        "datasets['three']"
    )
    assert finished.text == "['a'] ['one', 'two'] ['b'] False\n"
    assert (finished.error["type"], finished.error["line"]) == ("KeyError", 2)


@pytest.mark.parametrize(
    ("source_format", "text", "error", "message"),
    [
        ("csv", "", "ParserError", "The source has no header: it is empty"),
        ("csv", "a,b\n1,2\n1,2,3\n", "ParserError", "Line 3 has 3 cells, and the header has 2."),
        ("json", "[1", "ValueError", ""),
        ("json", "{", "ValueError", ""),
        ("parquet", "a,b\n1,2\n", "ArrowInvalid", "Parquet"),
    ],
)
def test_a_source_that_cannot_be_read_is_an_error_in_the_parsers_words(
    make: Make, source_format: str, text: str, error: str, message: str
) -> None:
    made = make(source_format, text)
    assert made.finished.outcome == "CodeError"
    assert made.finished.error["type"] == error
    assert message in made.finished.error["message"]
    assert made.finished.error["traceback"] is None
    assert str(made.directory) not in made.finished.error["message"]
    assert os.listdir(made.directory) == []


def put_link(volume: Path) -> None:
    (volume / "data").symlink_to("/etc/hostname")


def put_link_inside(volume: Path) -> None:
    (volume / "real").write_text("a\n1\n")
    (volume / "data").symlink_to("real")


def put_pipe(volume: Path) -> None:
    os.mkfifo(volume / "data")


def put_directory(volume: Path) -> None:
    (volume / "data").mkdir()


def put_nothing(volume: Path) -> None:
    assert not list(volume.iterdir())


@pytest.mark.parametrize("put", [put_link, put_link_inside, put_pipe, put_directory, put_nothing])
def test_a_source_that_is_no_regular_file_is_refused(
    make: Make, put: Callable[[Path], None]
) -> None:
    made = make("csv", file=put)
    assert made.finished.error["type"] == "SourceRefusedError"
    assert os.listdir(made.directory) == []


def test_a_link_in_the_path_is_refused(new_runner: NewRunner, tmp_path: Path) -> None:
    runner = new_runner("snapshot")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "data.csv").write_text("a\n1\n")
    (runner.source / "way").symlink_to(tmp_path / "outside")
    job = snapshot_job(format="csv", path="way/data.csv")
    finished = runner.client.finish(job)
    assert finished.error["type"] == "SourceRefusedError"


def test_a_file_in_a_folder_of_the_volume_is_read(new_runner: NewRunner) -> None:
    runner = new_runner("snapshot")
    (runner.source / "sales" / "q1").mkdir(parents=True)
    (runner.source / "sales" / "q1" / "a.csv").write_text("a\n1\n")
    job = snapshot_job(format="csv", path="sales/q1/a.csv")
    assert runner.client.finish(job).outcome == "Succeeded"


def test_a_python_worker_in_a_snapshot_pod_fails_to_start(new_runner: NewRunner) -> None:
    runner = new_runner(supervisor_environment={"ASSAY_SNAPSHOT_DIR": "/nowhere"})
    finished = runner.client.finish(snapshot_job(format="csv", text="a\n"))
    assert finished.outcome == "StartFailed"
    assert finished.error["type"] == "WrongWorker"


FAITHFUL_CSV = {
    "integers": "a,b\n1,2\n3,4\n",
    "one integer column": "a\n1\n2\n",
    "integers with gaps": "a\n1\n\n3\n",
    "empty cells": "a,b\n1,\n,2\n",
    "dates stay text": "d\n2024-01-01\n2024-02-30\n",
    "truth values": "b\nTrue\nFalse\n",
    "truth values with gaps": "a,b\n1,True\n2,\n",
    "unicode": "né,名\nà,😀\n",
    "duplicate header": "a,a,a\n1,2,3\n",
    "header only": "a,b\n",
    "no name": "a,\n1,2\n",
    "numbers as header": "1,2\n3,4\n",
    "large integers": "a\n18446744073709551615\n",
    "huge integers": "a\n184467440737095516150\n",
    "floats": "a\n0.1\n-0.0\ninf\n1e308\n",
    "mixed": "a\n1\nx\n2.5\n",
    "implicit index": "a,b\n1,2,3\n4,5,6\n",
    "quoted lines": 'a\n"x\ny"\n" z "\n',
}


@pytest.mark.parametrize("name", FAITHFUL_CSV)
def test_a_stored_csv_loads_equal_and_changes_like_any_frame(name: str, tmp_path: Path) -> None:
    source = tmp_path / "source.csv"
    source.write_text(FAITHFUL_CSV[name])
    expected = pd.read_csv(source)
    if snapshot_files.store_frame(expected, str(tmp_path)):
        loaded = snapshot_files.load_frame(str(tmp_path))
    else:
        assert name == "huge integers"
        assert not (tmp_path / "frame.arrow").exists()
        loaded = pd.read_csv(source)
    assert snapshot_files.same(loaded, expected)
    behaves_like_any_frame(loaded, expected)


FRAMES = {
    "strings": pd.DataFrame({"s": ["a", None, "c"]}),
    "times": pd.DataFrame({"t": pd.to_datetime(pd.Series(["2024-01-01", None, "2024-01-03"]))}),
    "nanoseconds": pd.DataFrame({"t": pd.to_datetime([1, 2, 3], unit="ns")}),
    "time zones": pd.DataFrame({"t": pd.date_range("2024", periods=3, tz="Asia/Tokyo")}),
    "durations": pd.DataFrame({"t": pd.to_timedelta([1, 2, 3], unit="s")}),
    "categories": pd.DataFrame({"c": pd.Categorical(["x", "y", "x"])}),
    "nullable": pd.DataFrame({"i": pd.array([1, None, 3], dtype="Int8")}),
    "nullable truth": pd.DataFrame({"b": pd.array([True, None, False], dtype="boolean")}),
    "small floats": pd.DataFrame({"f": np.array([1, 2, 3], dtype="float32")}),
    "named index": pd.DataFrame({"a": [1, 2, 3]}, index=pd.Index([3, 1, 2], name="k")),
    "two levels": pd.DataFrame(
        {"a": [1, 2, 3]}, index=pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)])
    ),
    "range from five": pd.DataFrame({"a": [1, 2, 3]}, index=pd.RangeIndex(5, 8)),
    "column levels": pd.DataFrame(
        [[1, 2], [3, 4], [5, 6]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    ),
    "numbered columns": pd.DataFrame([[1, 2], [3, 4], [5, 6]]),
    "periods": pd.DataFrame({"p": pd.period_range("2024", periods=3, freq="M")}),
    "arrow types": pd.DataFrame({"a": pd.array([1, None, 3], dtype="int64[pyarrow]")}),
    "no rows": pd.DataFrame({"a": pd.Series([], dtype="int64"), "s": pd.Series([], dtype="str")}),
    "nothing": pd.DataFrame(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_stored_frame_loads_equal_or_is_not_stored(name: str, tmp_path: Path) -> None:
    expected = FRAMES[name]
    if snapshot_files.store_frame(expected, str(tmp_path)):
        loaded = snapshot_files.load_frame(str(tmp_path))
        assert snapshot_files.same(loaded, expected)
        behaves_like_any_frame(loaded, expected.copy())


def behaves_like_any_frame(loaded: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Assign a last value to the first cell of each column, on both."""
    if len(expected) < 2:
        return
    for position in range(expected.shape[1]):
        for frame in (loaded, expected):
            column: Any = frame.iloc
            column[0, position] = column[-1, position]
    pd.testing.assert_frame_equal(loaded, expected, check_exact=True)
    for position in range(expected.shape[1]):
        arrays = [frame.iloc[:, position].to_numpy() for frame in (loaded, expected)]
        assert arrays[0].flags.writeable == arrays[1].flags.writeable


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([1, "x"], [True, "x"]),
        ([1, "x"], [1.0, "x"]),
        ([None, "x"], [float("nan"), "x"]),
    ],
)
def test_similar_frames_are_not_the_same(left: list[object], right: list[object]) -> None:
    frames = [pd.DataFrame({"a": pd.Series(values, dtype=object)}) for values in (left, right)]
    assert not snapshot_files.same(*frames)


def test_the_description_of_very_wide_data_fits_the_protocol() -> None:
    frame = pd.DataFrame([[0] * 2000], columns=[f"{'😀' * 300}{i}" for i in range(2000)])
    columns = columns_of(frame)
    value = value_of(columns, Table((), (), 1), 1, 1, "arrow")
    assert isinstance(value, dict)
    assert value["columnCount"] == 2000
    assert 100 < len(value["columns"]) <= 256
    assert all(len(column["name"]) <= 256 for column in value["columns"])
    assert len(json.dumps(value, ensure_ascii=False).encode()) <= 256 * 1024
