"""Sources that pandas does not read, and sources of several files."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import resource
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay_runner import snapshot_files, snapshot_loading
from assay_runner.snapshot import build, worker
from assay_runner.snapshot.folder import store_folder
from assay_runner.snapshot.limits import Limits
from assay_runner.source_digest import folder_digest
from assay_runner.supervisor.snapshot_digest import digest_source
from assay_runner.worker.query import binding
from corpus.typed import nested
from unmeasured import Unmeasured

pytestmark = pytest.mark.slow


class Snapshot:
    """A snapshot made by the functions of a Pod."""

    def __init__(self, directory: Path) -> None:
        self.volume, self.directory = directory / "volume", directory / "snapshot"
        self.volume.mkdir(exist_ok=True)
        self.directory.mkdir(exist_ok=True)
        self.value: Mapping[str, Any] = {}

    def make(self, source_format: str, path: str, **job: Any) -> str:
        """Return the error's type and message; empty if there is none."""
        try:
            self.value = build.build_snapshot(  # type: ignore[assignment]
                {"format": source_format, "path": path, **job},
                snapshot_dir=str(self.directory),
                source_dir=str(self.volume),
                measuring=Unmeasured,
            )
        except Exception as problem:
            error = worker.describe_error(problem)
            assert os.listdir(self.directory) == []
            return f"{error['type']}: {error['message']}"
        return ""

    @property
    def description(self) -> dict[str, Any]:
        """The description file."""
        content: dict[str, Any] = json.loads((self.directory / "description.json").read_text())
        return content

    def rows(self, order: str = "ALL") -> list[Any]:
        """The table, as DuckDB reads it."""
        table = self.description["table"]
        files = [str(self.directory / file) for file in table["files"]]
        query = f"FROM read_parquet(?, hive_partitioning = {table['hive']}) ORDER BY {order}"
        return duckdb.execute(query, [files]).fetchall()


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return Snapshot(tmp_path)


def types(snapshot: Snapshot) -> dict[str, str]:
    schema = pq.read_schema(snapshot.directory / "frame.parquet")
    return {field.name: str(field.type) for field in schema}


def test_a_csv_file_without_a_frame_becomes_a_table(snapshot: Snapshot) -> None:
    (snapshot.volume / "a.csv").write_text('n,s\n1,"x\ny"\n,\n2,z\n')
    assert snapshot.make("csv", "a.csv", frame=False) == ""
    assert sorted(os.listdir(snapshot.directory)) == [
        *("description.json", "frame.parquet", "source.csv")
    ]
    assert snapshot.rows() == [(1, "x\ny"), (2, "z"), (None, None)]
    value = snapshot.value
    assert (value["frame"], value["rows"], value["memoryBytes"]) == ("none", 3, 0)
    assert value["columns"] == [
        {"name": "n", "type": "int64", "nulls": 1, "samples": ["1.0", "2.0"]},
        {"name": "s", "type": "str", "nulls": 1, "samples": ["x\ny", "z"]},
    ]
    assert (snapshot.description["version"], snapshot.description["frame"]) == (4, None)


def test_code_that_wants_the_frame_is_told_what_to_use_instead(snapshot: Snapshot) -> None:
    (snapshot.volume / "a.csv").write_text("a\n1\n")
    snapshot.make("csv", "a.csv", frame=False)
    with pytest.raises(snapshot_files.SnapshotError, match=r"no df.*SQL.*/workspace.*scan_parquet"):
        snapshot_loading.load(str(snapshot.directory))


def test_types_are_inferred_from_the_whole_file(snapshot: Snapshot) -> None:
    header = "late_text,late_float,late_first,truth,big,huge,zero,spaced,date,hex\n"
    row = "1,1,,true,1,1,01, 1,2024-01-01,1\n"
    last = "x,2.5,7,False,9223372036854775807,9223372036854775808,02,2 ,2024-01-02,0x1f\n"
    (snapshot.volume / "a.csv").write_text(header + row * 250_000 + last)
    assert snapshot.make("csv", "a.csv", frame=False) == ""
    assert types(snapshot) == {
        "late_text": "large_string",
        "late_float": "double",
        "late_first": "int64",
        "truth": "bool",
        "big": "int64",
        "huge": "uint64",
        "zero": "large_string",
        "spaced": "int64",
        "date": "date32[day]",
        "hex": "large_string",
    }
    table = pq.read_table(snapshot.directory / "frame.parquet")
    assert [table[name][250_000].as_py() for name in ("late_text", "late_float", "late_first")] == [
        *("x", 2.5, 7)
    ]
    assert table.num_rows == 250_001


def test_the_size_of_a_source_decides_unless_the_dataset_does(snapshot: Snapshot) -> None:
    (snapshot.volume / "a.csv").write_text("a\n1\n")
    limits = {"frameBytes": 3}
    assert snapshot.make("csv", "a.csv", limits=limits) == ""
    assert snapshot.value["frame"] == "none"


def test_a_frame_that_is_wanted_is_made_of_any_size(snapshot: Snapshot) -> None:
    (snapshot.volume / "a.csv").write_text("a\n1\n")
    assert snapshot.make("csv", "a.csv", frame=True, limits={"frameBytes": 3}) == ""
    assert snapshot.value["frame"] == "arrow"


def test_the_content_of_parquet_counts_and_not_its_compressed_size(snapshot: Snapshot) -> None:
    pd.DataFrame({"a": ["x" * 100] * 1000}).to_parquet(snapshot.volume / "a", use_dictionary=False)
    assert os.path.getsize(snapshot.volume / "a") < 50_000
    assert snapshot.make("parquet", "a", limits={"frameBytes": 50_000}) == ""
    assert snapshot.value["frame"] == "none"


def test_other_formats_need_a_frame(snapshot: Snapshot) -> None:
    (snapshot.volume / "a.json").write_text('[{"a": 1}]')
    assert "format is csv, tsv, ndjson, parquet" in snapshot.make("json", "a.json", frame=False)
    assert "(frameBytes)" in snapshot.make("json", "a.json", limits={"frameBytes": 3})


@pytest.mark.parametrize(
    ("options", "text", "rows"),
    [
        ({"sep": ";", "decimal": ","}, "a;b\n1,5;x\n", [(1.5, "x")]),
        ({"names": ["x", "y"]}, "1,2\n", [(1, 2)]),
        ({"header": None}, "1,2\n", [(1, 2)]),
        ({"header": 0, "names": ["x", "y"]}, "a,b\n1,2\n", [(1, 2)]),
        ({"na_values": ["-"]}, "a,b\n1,-\n", [(1, None)]),
        ({"quotechar": "'"}, "a,b\n'1,2',3\n", [("1,2", 3)]),
        ({"encoding": "latin-1"}, "a,b\né,1\n", [("é", 1)]),
    ],
)
def test_options_that_mean_the_same_without_pandas_are_accepted(
    options: dict[str, object], text: str, rows: list[object], snapshot: Snapshot
) -> None:
    (snapshot.volume / "a").write_bytes(text.encode(str(options.get("encoding", "utf-8"))))
    assert snapshot.make("csv", "a", frame=False, options=options) == ""
    assert snapshot.rows() == rows


@pytest.mark.parametrize(
    ("source_format", "text", "job", "error"),
    [
        ("csv", "a,b\n1,2\n1,2,secret\n", {}, "Line 3 has 3 cells, and the header has 2."),
        ("csv", 'a,b\n1,"secret\n', {}, "that begins in line 2 is never closed"),
        ("ndjson", '{"a":1}\n{"a":secret\n', {}, "(line 2, column 6)"),
        ("ndjson", "\n", {}, "The source has no rows"),
        ("csv", "a\n1\n", {"options": {"dtype": {"a": "str"}}}, "The option dtype needs a frame"),
        ("csv", "a\n1\n", {"options": {"header": 2}}, "The source has no header"),
        ("csv", "a\n1\n2\n", {"limits": {"maxRows": 1}}, "the limit is 1 (maxRows)"),
        ("csv", "a,b\n1,2\n", {"limits": {"maxColumns": 1}}, "the limit is 1 (maxColumns)"),
        ("ndjson", '{"a":1,"b":2}\n', {"limits": {"maxColumns": 1}}, "(maxColumns)"),
        ("ndjson", '{"a":[[[1]]]}\n', {"limits": {"maxNesting": 2}}, "(maxNesting)"),
        ("parquet", "a,b\nsecret\n", {}, ""),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_without_quoting_it(
    source_format: str, text: str, job: dict[str, object], error: str, snapshot: Snapshot
) -> None:
    (snapshot.volume / "a").write_text(text)
    message = snapshot.make(source_format, "a", frame=False, **job)
    assert message
    assert error in message
    assert "secret" not in message


def test_text_that_is_not_utf_8_is_located(snapshot: Snapshot) -> None:
    (snapshot.volume / "a").write_bytes(b"a,b\n1,x\n2,\xff\n")
    message = snapshot.make("csv", "a", frame=False)
    assert message.endswith(
        "The source is not utf-8 at byte 10, in line 3. Give the option encoding:"
        " cp1252 or latin-1 reads all of it."
    )


def test_json_lines_without_a_frame_become_a_table(snapshot: Snapshot) -> None:
    lines = ['{"a": 1, "b": {"c": [1]}}'] * 30_000 + ['{"a": "x", "b": {"d": 2}, "A": true}']
    (snapshot.volume / "a.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    assert snapshot.make("ndjson", "a.gz", frame=False, compression="gzip") == ""
    table = snapshot.description["table"]
    assert [(column["name"], column["storedAs"]) for column in table["columns"]] == [
        ("a", "string"),
        ("b", None),
        ("A_1", None),
    ]
    read = pq.read_table(snapshot.directory / "frame.parquet").slice(29_999).to_pylist()
    assert read == [
        {"a": "1", "b": {"c": [1], "d": None}, "A_1": None},
        {"a": "x", "b": {"c": None, "d": 2}, "A_1": True},
    ]


def test_a_parquet_file_without_a_frame_serves_itself(snapshot: Snapshot) -> None:
    pq.write_table(nested(), snapshot.volume / "a")
    assert snapshot.make("parquet", "a", frame=False) == ""
    assert snapshot.description["table"]["files"] == ["source.parquet"]
    assert snapshot.value["rows"] == 3


def test_a_parquet_file_whose_columns_cannot_be_told_apart_needs_a_frame(
    snapshot: Snapshot,
) -> None:
    pq.write_table(pa.table({"a": [1], "A": [2]}), snapshot.volume / "a")
    assert snapshot.make("parquet", "a", frame=False).startswith("SchemaError: ")


def put(snapshot: Snapshot, path: str, table: Any = None) -> None:
    file = snapshot.volume / path
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": [1, 2]}) if table is None else table, file)


PARTITIONS = ("sales/year=2023/a.parquet", "sales/year=2024/a.parquet", "sales/year=2024/b.parquet")


@pytest.mark.parametrize("frame", [True, False])
def test_the_partitions_of_a_folder_become_columns(frame: bool, snapshot: Snapshot) -> None:
    for path in PARTITIONS:
        put(snapshot, path)
    put(snapshot, "sales/_temporary/c.parquet", pa.table({"other": [1]}))
    (snapshot.volume / "sales/_SUCCESS").write_text("")
    (snapshot.volume / "sales/notes.txt").write_text("")
    assert snapshot.make("parquet", "sales", frame=frame) == ""
    described = snapshot.description
    assert described["version"] == 3
    assert described["source"]["file"] == "source"
    assert described["table"]["files"] == ["source/**/*.parquet"]
    assert described["table"]["hive"] is True
    assert [column["name"] for column in described["table"]["columns"]] == ["n", "year"]
    assert snapshot.rows() == [(1, 2023), *[(1, 2024)] * 2, (2, 2023), *[(2, 2024)] * 2]
    scanned = pl.scan_parquet(
        snapshot.directory / described["table"]["files"][0], hive_partitioning=True
    )
    assert scanned.collect()["year"].sum() == 2023 * 2 + 2024 * 4
    assert snapshot.value["rows"] == 6
    if frame:
        loaded = snapshot_loading.load(str(snapshot.directory))
        expected = pd.read_parquet(snapshot.directory / "source")
        pd.testing.assert_frame_equal(loaded, expected)
        assert sorted(set(loaded["year"])) == [2023, 2024]


@pytest.mark.parametrize("frame", [True, False])
def test_keys_of_folders_are_text_in_each_engine_where_a_number_would_be_another_text(
    frame: bool, snapshot: Snapshot
) -> None:
    for zip_code, day in (("02134", "2024-01-31"), ("10001", "2024-02-01")):
        put(snapshot, f"sales/zip={zip_code}/year=2024/day={day}/a.parquet")
    put(snapshot, "sales/zip=__HIVE_DEFAULT_PARTITION__/year=2025/day=2024-01-01/a.parquet")
    assert snapshot.make("parquet", "sales", frame=frame) == ""
    keys = snapshot.description["table"]["keys"]
    assert keys == {"zip": "VARCHAR", "year": "BIGINT", "day": "DATE"}
    zips = [None, None, "02134", "02134", "10001", "10001"]
    polars = binding.scan(str(snapshot.directory)).collect()
    assert polars["zip"].sort().to_list() == zips
    assert {name: str(polars[name].dtype) for name in keys} == {
        "zip": "String",
        "year": "Int64",
        "day": "Date",
    }
    if frame:
        loaded = snapshot_loading.load(str(snapshot.directory))
        assert sorted(loaded["zip"].dropna()) == zips[2:]
        assert loaded["zip"].isna().sum() == 2


def test_the_digest_of_a_folder_covers_paths_and_bytes(snapshot: Snapshot) -> None:
    for path in PARTITIONS:
        put(snapshot, path)
    snapshot.make("parquet", "sales/**/a.parquet")
    digests = [
        (path.removeprefix("sales/"), hashlib.sha256(data).hexdigest())
        for path in PARTITIONS[:2]
        for data in [(snapshot.volume / path).read_bytes()]
    ]
    found = digest_source(str(snapshot.directory), "parquet")
    assert found.sha256 == folder_digest(digests) == folder_digest(digests[::-1])
    assert found.sha256 == snapshot.description["source"]["sha256"]
    assert found.size == snapshot.description["source"]["bytes"]
    renamed = [("year=2025/a.parquet", digests[0][1]), digests[1]]
    assert folder_digest(renamed) != found.sha256


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("sales", 6),
        ("sales/**", 6),
        ("sales/**/*.parquet", 6),
        ("sales/*/a.parquet", 4),
        ("sales/**/year=2024/*", 4),
        ("*/*/b*", 2),
        ("sales/year=2023/*.parquet", 2),
    ],
)
def test_a_pattern_names_files(pattern: str, count: int, snapshot: Snapshot) -> None:
    for path in PARTITIONS:
        put(snapshot, path)
    assert snapshot.make("parquet", pattern) == ""
    assert snapshot.value["rows"] == count


def test_a_file_that_differs_is_named(snapshot: Snapshot) -> None:
    put(snapshot, "d/a.parquet")
    put(snapshot, "d/b.parquet", pa.table({"n": ["x"]}))
    assert snapshot.make("parquet", "d") == (
        "SchemaError: The column 'n' is string in b.parquet, and int64 in a.parquet."
    )
    put(snapshot, "d/b.parquet", pa.table({"n": [1], "m": [1]}))
    assert "The columns of b.parquet are not those of a.parquet" in snapshot.make("parquet", "d")
    (snapshot.volume / "d/b.parquet").write_text("secret")
    assert "b.parquet is not a Parquet file" in snapshot.make("parquet", "d")


def test_folders_that_differ_in_their_keys_are_refused(snapshot: Snapshot) -> None:
    put(snapshot, "d/year=2023/a.parquet")
    put(snapshot, "d/month=1/a.parquet")
    assert snapshot.make("parquet", "d").startswith("SchemaError: The folders of")


def test_links_are_not_followed_and_only_regular_files_are_taken(snapshot: Snapshot) -> None:
    put(snapshot, "elsewhere/x.parquet")
    put(snapshot, "d/a.parquet")
    (snapshot.volume / "d/linked").symlink_to(snapshot.volume / "elsewhere")
    assert snapshot.make("parquet", "d") == ""
    assert snapshot.value["rows"] == 2


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_that_is_not_regular_is_refused(kind: str, snapshot: Snapshot) -> None:
    put(snapshot, "elsewhere/x.parquet")
    put(snapshot, "d/a.parquet")
    if kind == "link":
        (snapshot.volume / "d/b.parquet").symlink_to(snapshot.volume / "elsewhere/x.parquet")
    else:
        os.mkfifo(snapshot.volume / "d/b.parquet")
    message = snapshot.make("parquet", "d")
    assert message == "SourceRefusedError: Not a regular file: b.parquet"


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """Let this process open 100 more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
def test_a_folder_has_more_folders_than_a_process_can_open(tmp_path: Path) -> None:
    for name in ("volume/d/a/b/c", "snapshot"):
        (tmp_path / name).mkdir(parents=True)
    for number in range(500):
        (tmp_path / f"volume/d/{number}").mkdir()
    (tmp_path / "volume/d/a/b/c/a.parquet").write_text("x")
    target = str(tmp_path / "snapshot/source")
    stored = store_folder(str(tmp_path / "volume"), "d", Limits.NONE, target)
    for number in range(500):
        (tmp_path / f"snapshot/source/{number}").mkdir()
    digest = digest_source(str(tmp_path / "snapshot"), "parquet")
    assert (digest.sha256, digest.size) == (stored.sha256, 1)


def refuse_to_open(monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    """Refuse a name as the system does, which lets root open everything."""
    system_open = os.open

    def open_or_refuse(path: Any, *args: Any, **named: Any) -> int:
        if path == refused:
            raise PermissionError(13, "Permission denied", path)
        return system_open(path, *args, **named)

    monkeypatch.setattr(os, "open", open_or_refuse)


def test_a_folder_that_cannot_be_read_is_named(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(snapshot, "d/a.parquet")
    (snapshot.volume / "d/b/lost+found").mkdir(parents=True)
    refuse_to_open(monkeypatch, "lost+found")
    for path in ("d", "d/**", "d/*/*/*.parquet"):
        message = snapshot.make("parquet", path)
        assert message.startswith(
            "SourceRefusedError: Cannot read d/b/lost+found in the volume: Permission denied. "
        )


@pytest.mark.parametrize("pattern", ["*.parquet", "d*/*.parquet", "d/a/**", "*/a/**/*.parquet"])
def test_folders_without_what_a_pattern_names_need_not_be_readable(
    pattern: str, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("a.parquet", "d/a.parquet", "d/a/b/c.parquet"):
        put(snapshot, path)
    for path in ("lost+found", "d/lost+found"):
        (snapshot.volume / path).mkdir()
    if pattern.startswith("*/"):
        (snapshot.volume / "lost+found").rmdir()
    refuse_to_open(monkeypatch, "lost+found")
    assert snapshot.make("parquet", pattern) == ""
    assert snapshot.value["rows"] == 2


def test_a_linked_folder_is_not_a_source(snapshot: Snapshot) -> None:
    put(snapshot, "elsewhere/x.parquet")
    (snapshot.volume / "d").symlink_to(snapshot.volume / "elsewhere")
    assert snapshot.make("parquet", "d").startswith("SourceRefusedError: ")
    assert snapshot.make("parquet", "d/*").startswith("SourceRefusedError: ")


def test_files_are_bounded_in_number_and_bytes(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in PARTITIONS:
        put(snapshot, path)
    size = os.path.getsize(snapshot.volume / PARTITIONS[0])
    message = snapshot.make("parquet", "sales", limits={"maxBytes": 2 * size})
    assert "(maxBytes" in message
    monkeypatch.setattr("assay_runner.snapshot.folder.MAX_FILES", 2)
    assert "more than 2 files" in snapshot.make("parquet", "sales")


def test_a_pattern_without_files_is_refused(snapshot: Snapshot) -> None:
    (snapshot.volume / "d").mkdir()
    assert "No Parquet files" in snapshot.make("parquet", "d")
    assert "No such folder" in snapshot.make("parquet", "none/*.parquet")
    put(snapshot, "d/a.parq")
    assert "does not end in .parquet" in snapshot.make("parquet", "d/*")
