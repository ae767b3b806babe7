"""Unit tests of the steps that a snapshot's source goes through."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay_runner import snapshot_files, snapshot_loading
from assay_runner.options import OPTIONS, OptionRefusedError, check
from assay_runner.snapshot import build, nesting, worker
from assay_runner.snapshot.description import columns_of, value_of
from assay_runner.snapshot.error_redaction import redact
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.measuring import PeakMemory
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.source import SourceRefusedError, open_in_volume, unchanged
from assay_runner.snapshot.table import Table
from corpus.typed import parquet, rich
from unmeasured import Unmeasured

FITTING: dict[str, list[Any]] = {
    "sep": [",", r"\s+"],
    "delimiter": ["|"],
    "encoding": ["utf-8", "latin-1", "cp1252", "UTF-16"],
    "encoding_errors": ["strict", "replace", "ignore", "backslashreplace"],
    "header": [0, 3, None],
    "names": [["a", ""], []],
    "index_col": [0, "a", None],
    "usecols": [["a"]],
    "dtype": [{"a": "int64", "b": "str"}, {}],
    "parse_dates": [["a"]],
    "date_format": ["%Y"],
    "dayfirst": [True],
    "na_values": [["-"]],
    "keep_default_na": [False],
    "thousands": ["."],
    "decimal": [","],
    "quotechar": ["'"],
    "escapechar": ["\\"],
    "comment": ["#"],
    "skiprows": [2, [0, 2]],
    "skipfooter": [0, 1],
    "types": ["pandas"],
    "nrows": [0],
    "skipinitialspace": [True],
    "true_values": [["t"]],
    "false_values": [["f"]],
    "low_memory": [False],
    "on_bad_lines": ["error", "warn", "skip"],
    "orient": ["records", "split"],
    "convert_dates": [["a"], False],
    "lines": [True],
    "columns": [["a"]],
    "sheet_name": [0, "May"],
}
UNFITTING: dict[str, list[Any]] = {
    "sep": ["", "x" * 65, 1, None],
    "delimiter": [[","]],
    "encoding": ["rot13", "zip", "no such", 8, "a\0b"],
    "encoding_errors": ["surrogateescape", "xmlcharrefreplace"],
    "header": [-1, "infer", True, 1.0, [0, 1]],
    "names": ["ab", [1], ["x" * 257], ["x"] * 10_001],
    "index_col": [-1, False, [0]],
    "usecols": [[0], "a"],
    "dtype": ["int64", {"a": "object"}, {"a": "int64[pyarrow]"}, {"a": 1}, {"a": ["int64"]}],
    "parse_dates": [True, [0], {"a": ["b"]}],
    "date_format": [{"a": "%Y"}],
    "dayfirst": [1, "true", None],
    "na_values": ["-", {"a": "-"}],
    "keep_default_na": [None],
    "thousands": ["", ".."],
    "decimal": [1],
    "quotechar": [None],
    "escapechar": ["ab"],
    "comment": ["//"],
    "skiprows": [["0"], -1, True, 2**31, [-1]],
    "skipfooter": [-1, "1"],
    "types": ["numpy", None],
    "nrows": ["2", 1.5],
    "skipinitialspace": [0],
    "true_values": ["t"],
    "false_values": [[False]],
    "low_memory": ["no"],
    "on_bad_lines": ["raise", None],
    "orient": ["rows", None],
    "convert_dates": ["a"],
    "lines": [None],
    "columns": ["a", [0]],
    "sheet_name": [None, ["May"], -1],
}
EACH_OPTION = [(form, name) for form, options in OPTIONS.items() for name in options]


@pytest.mark.parametrize(("source_format", "name"), EACH_OPTION)
def test_an_option_takes_values_of_its_kind_only(source_format: str, name: str) -> None:
    for value in FITTING[name]:
        check(source_format, {name: value})
    # The types of JSON's columns may also be guessed, or not.
    unfitting = [value for value in UNFITTING[name] if not isinstance(value, str)]
    for value in UNFITTING[name] if name != "dtype" else unfitting:
        with pytest.raises(OptionRefusedError, match=rf"^The option {name} must be .*\.$"):
            check(source_format, {name: value})


@pytest.mark.parametrize("source_format", OPTIONS)
def test_an_unknown_option_is_refused_with_those_that_are_known(source_format: str) -> None:
    with pytest.raises(OptionRefusedError) as refused:
        check(source_format, {"converters": {}})
    text = str(refused.value)
    assert f"The format {source_format} has no option 'converters'" in text
    assert text.endswith(f"it takes {', '.join(OPTIONS[source_format])}.")


def test_an_option_given_under_two_names_is_refused() -> None:
    with pytest.raises(OptionRefusedError, match="sep and delimiter are the same"):
        check("csv", {"sep": ",", "delimiter": ","})


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionRefusedError, match="must be one of csv, tsv, json"):
        check("xml", {})


def make(directory: Path, **job: Any) -> Any:
    (directory / "snapshot").mkdir(exist_ok=True)
    return build.build_snapshot(
        job,
        snapshot_dir=str(directory / "snapshot"),
        source_dir=str(directory),
        measuring=Unmeasured,
    )


def test_a_source_with_options_is_read_with_them_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("n;é\n1,5;x\n".encode("latin-1"))
    options = {"sep": ";", "decimal": ",", "encoding": "latin-1"}
    make(tmp_path, format="csv", path="a.csv", options=options)
    path = tmp_path / "snapshot" / "description.json"
    described = json.loads(path.read_text())
    assert (described["version"], described["options"]) == (4, options)
    path.write_text(json.dumps({**described, "pandas": "2.0.0"}))
    (tmp_path / "snapshot" / "frame.arrow").unlink()
    loaded = snapshot_loading.load(str(tmp_path / "snapshot"))
    assert (list(loaded), loaded["n"].tolist()) == (["n", "é"], [1.5])


def test_a_source_that_an_older_runner_can_read_is_described_as_before(tmp_path: Path) -> None:
    make(tmp_path, format="csv", text="a\n1\n", options={"types": "pandas"})
    described = json.loads((tmp_path / "snapshot" / "description.json").read_text())
    assert described["version"] == 2


def test_a_snapshot_of_a_later_version_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "description.json").write_text('{"version": 5, "format": "csv"}')
    with pytest.raises(snapshot_files.SnapshotError, match="not of version 1 to 4"):
        snapshot_loading.load(str(tmp_path))


def test_a_file_that_is_written_to_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with (
        open_in_volume(str(tmp_path), "a.csv") as file,
        pytest.raises(SourceRefusedError, match="changed while it was read"),
        unchanged(file),
    ):
        path.write_text("a\n1\n2\n")


def test_a_file_that_is_rewritten_in_its_length_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    os.utime(path, ns=(0, 0))
    with (
        open_in_volume(str(tmp_path), "a.csv") as file,
        pytest.raises(SourceRefusedError, match="changed while it was read"),
        unchanged(file),
    ):
        path.write_text("a\n2\n")


def test_a_file_over_the_limit_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(SourceRefusedError, match="limit of 1073741824 bytes"):
        make(tmp_path, format="csv", path="a.csv")


def many_entries(comment: bytes) -> bytes:
    """An archive with a directory of some mebibytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(80):
            archive.writestr(f"{number}-{'n' * 60_000}", "")
        archive.comment = comment
    return file.getvalue()


def of_zip64(comment: bytes) -> bytes:
    """An archive with the end record of zip64."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.comment = comment
    end = file.getvalue()
    return b"PK\6\7" + bytes(16) + end


@pytest.mark.parametrize("comment", [b"", b"about this archive", b"x" * 65_535])
@pytest.mark.parametrize("archive", [many_entries, of_zip64])
@pytest.mark.parametrize(
    "job", [{"format": "csv", "compression": "zip"}, {"format": "excel"}], ids=["csv", "excel"]
)
def test_an_archive_with_a_large_directory_is_refused_before_it_is_read(
    tmp_path: Path, job: dict[str, str], archive: Callable[[bytes], bytes], comment: bytes
) -> None:
    (tmp_path / "a").write_bytes(archive(comment))
    with pytest.raises(SourceRefusedError, match="directory of the zip archive is larger"):
        make(tmp_path, path="a", **job)


@pytest.mark.parametrize("comment", [b"", b"about this archive", b"x" * 65_535])
def test_an_archive_with_a_comment_is_read(tmp_path: Path, comment: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.comment = comment
    assert make(tmp_path, format="csv", path="a", compression="zip")["rows"] == 1


def test_what_macos_adds_to_an_archive_is_left_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w") as archive:
        archive.writestr("sales.csv", "a\n1\n")
        archive.writestr("__MACOSX/._sales.csv", "resource fork")
        archive.writestr(".DS_Store", "folder")
    assert make(tmp_path, format="csv", path="a", compression="zip")["rows"] == 1


@pytest.mark.parametrize("path", ["..", "../a.csv", "a/../../b", "/etc/passwd", "a//b", "", "a\0b"])
def test_a_path_out_of_the_volume_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(SourceRefusedError, match="must be relative"):
        open_in_volume(str(tmp_path), path)


def put_link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def put_short(path: Path) -> None:
    path.write_bytes(b"a")


@pytest.mark.parametrize("put", [put_link, put_short])
def test_an_upload_that_has_changed_is_refused(tmp_path: Path, put: Callable[[Path], None]) -> None:
    (tmp_path / "snapshot").mkdir()
    put(tmp_path / "snapshot" / "upload.bin")
    with pytest.raises(SourceRefusedError):
        make(tmp_path, format="csv", upload={"bytes": 4, "sha256": "0" * 64})
    assert os.listdir(tmp_path / "snapshot") == []


SECRET = "4711-secret"


@pytest.mark.parametrize(
    "error",
    [
        ValueError(f"invalid literal for int() with base 10: '{SECRET}'"),
        ValueError(f"No columns to parse from file {SECRET}"),
        ValueError(f"Expected 2 fields in line 3, saw 3\n{SECRET}"),
        KeyError(SECRET),
        TypeError(SECRET),
        MemoryError(SECRET),
        UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
        OverflowError(SECRET),
        pd.errors.ParserError(f"Error tokenizing data. C error: {SECRET}"),
    ],
)
@pytest.mark.parametrize("source_format", OPTIONS)
def test_a_message_that_quotes_the_data_is_redacted(
    tmp_path: Path, error: Exception, source_format: str
) -> None:
    (tmp_path / "source").write_text(SECRET)
    message = redact(error, str(tmp_path / "source"), source_format, {"dtype": {"b": "int64"}})
    assert message.type == type(error).__name__
    assert SECRET not in str(message)
    assert str(message)


def test_other_errors_do_not_quote_the_data_either() -> None:
    described = worker.describe_error(RuntimeError(SECRET))
    assert (described["type"], described["message"]) == (
        "RuntimeError",
        "The snapshot could not be created: load the dataset again, and ask the platform team"
        " for the Pod's log if it fails again.",
    )
    denied = OSError(13, f"Failed to open {SECRET}", f"/snapshot/{SECRET}")
    assert worker.describe_error(denied)["message"] == "Permission denied"


def test_a_full_disk_is_not_mistaken_for_a_frame_that_arrow_cannot_store(tmp_path: Path) -> None:
    (tmp_path / snapshot_files.FRAME).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as full:
        snapshot_files.store_frame(pd.DataFrame({"a": range(10)}), str(tmp_path))
    described = worker.describe_error(full.value)
    assert described["type"] == "VolumeFullError"
    assert described["message"] == "the volume of the snapshots is full"


def test_a_frame_that_arrow_cannot_read_again_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(_directory: str) -> pd.DataFrame:
        raise OSError("Invalid flatbuffers message.")

    monkeypatch.setattr(snapshot_files, "load_frame", load)
    assert not snapshot_files.store_frame(pd.DataFrame({"a": range(10)}), str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def of_json(generator: random.Random, room: int) -> object:
    kind = generator.choice("tnld") if room > 1 else "t"
    if kind == "t":
        return "".join(generator.choice('[]{}"\\,:é😀\n x') for _ in range(generator.randrange(9)))
    if kind == "n":
        return generator.choice([None, 1, True, 1.5])
    inner = [of_json(generator, room - 1) for _ in range(generator.randrange(3))]
    if kind == "l":
        return inner
    return {str(of_json(generator, 1)): value for value in inner}


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    return 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("chunk", [1, 2, 7, 2**20])
def test_the_nesting_of_json_is_what_a_parser_finds(
    chunk: int, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nesting, "_CHUNK_BYTES", chunk)
    generator = random.Random(chunk)
    for number in range(200):
        value = of_json(generator, 7)
        text = json.dumps(value, ensure_ascii=number % 2 == 0).encode(encoding)
        assert nesting.depth(io.BytesIO(text), encoding) == depth_of(value), text


@pytest.fixture
def child_interpreter(interpreter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let child processes find the runner as in the image."""
    monkeypatch.setattr(sys, "executable", interpreter)


@pytest.mark.usefixtures("child_interpreter")
@pytest.mark.parametrize(("dtypes", "least", "most"), [("qd", 0.9, 4.0), ("q", 0.0, 0.5)])
def test_the_memory_that_loading_takes_is_measured(
    dtypes: str, least: float, most: float, tmp_path: Path
) -> None:
    """Columns of alternating dtypes would be too many blocks and are copied; others are mapped."""
    columns = 32
    rows = 8_000_000 // columns
    frame = pd.DataFrame(
        {f"c{n}": np.arange(rows).astype(dtypes[n % len(dtypes)]) for n in range(columns)}
    )
    assert snapshot_files.store_frame(frame, str(tmp_path))
    described = {
        "format": "csv",
        "options": {},
        "frame": {"file": "frame.arrow"},
        "pandas": pd.__version__,
    }
    size = int(frame.memory_usage(index=True).sum())
    with PeakMemory(str(tmp_path)) as measured:
        measured.load(described)
        assert least * size < measured.growth() < most * size


@pytest.mark.usefixtures("child_interpreter")
def test_a_snapshot_that_cannot_be_loaded_again_is_not_made(tmp_path: Path) -> None:
    described: dict[str, Any] = {"format": "csv", "options": {}, "frame": None, "pandas": ""}
    with PeakMemory(str(tmp_path)) as measured:
        measured.load(described)
        with pytest.raises(snapshot_files.SnapshotError, match="could not be loaded again"):
            measured.growth()


def test_the_value_of_5000_columns_fits_and_lists_the_first_with_samples() -> None:
    values = [["x" * 70 + str(number), "y" * 70, "z" * 70] for number in range(5000)]
    frame = pd.DataFrame({f"{'n' * 250}{n}": column for n, column in enumerate(values)})
    value = value_of(columns_of(frame), Table((), (), 3), 1, 2, "arrow")
    assert isinstance(value, dict)
    assert (value["columnCount"], len(value["columns"])) == (5000, 256)
    assert value["columns"][0]["samples"] == ["x" * 63 + "…", "y" * 63 + "…", "z" * 63 + "…"]
    assert value["columns"][255]["samples"] in (
        [],
        ["x" * 63 + "…", "y" * 63 + "…", "z" * 63 + "…"],
    )
    assert sum(len(json.dumps(column["samples"])) for column in value["columns"]) <= 68_000
    assert len(json.dumps(value).encode()) <= 255 * 1024


def note(length: int = 200) -> dict[str, object]:
    return {"code": "LeadingZeros", "message": "x" * length, "rows": 1}


def test_the_value_has_the_notes_and_the_number_of_the_rules() -> None:
    columns = columns_of(pd.DataFrame({"zip": ["02134"], "n": [1]}))
    columns[0]["notes"] = [note()]
    value = value_of(columns, Table((), (), 1), 1, 1, "arrow", notes=[note(3)], reading=2)
    assert isinstance(value, dict)
    assert [column.get("notes") for column in value["columns"]] == [[note()], None]
    assert (value["notes"], value["reading"]) == ([note(3)], 2)


def test_notes_beyond_64_kib_are_left_out_from_the_last_column_on() -> None:
    columns = columns_of(pd.DataFrame({f"c{number}": [1] for number in range(256)}))
    for column in columns:
        column["notes"] = [note()] * 8
    value = value_of(columns, Table((), (), 1), 1, 1, "arrow", notes=[note()])
    assert isinstance(value, dict)
    noted = [column["notes"] for column in value["columns"] if "notes" in column]
    assert (len(value["columns"]), value["columns"][0]["notes"]) == (256, [note()] * 8)
    assert noted == [column.get("notes") for column in value["columns"][: len(noted)]]
    assert 60 * 1024 < len(json.dumps(noted).encode()) <= 64 * 1024
    assert value["notes"] == [note()]


def test_notes_take_no_room_from_names() -> None:
    frame = pd.DataFrame([[0] * 300], columns=[f"{'😀' * 300}{number}" for number in range(300)])
    columns = columns_of(frame)
    plain = value_of(columns, Table((), (), 1), 1, 1, "arrow")
    for column in columns:
        column["notes"] = [note()] * 8
    value = value_of(columns, Table((), (), 1), 1, 1, "arrow", notes=[note()] * 8)
    assert isinstance(plain, dict)
    assert isinstance(value, dict)
    assert len(value["columns"]) == len(plain["columns"])
    assert len(json.dumps(value, ensure_ascii=False).encode()) <= 256 * 1024


def test_samples_are_distinct_and_of_all_sorts_of_values() -> None:
    frame = pd.DataFrame(
        {
            "n": pd.Series([None, 1, 1, 2, 3, 4], dtype="Int64"),
            "o": pd.Series([[1], {"a": 1}, None, b"x", "\ud800", 1.5], dtype=object),
            "z": [None] * 6,
        }
    )
    samples = [column["samples"] for column in columns_of(frame)]
    assert samples == [["1", "2", "3"], ["[1]", "{'a': 1}", "b'x'"], []]


def test_the_limits_that_a_job_does_not_name_are_the_usual_ones() -> None:
    limits = Limits.of({"maxRows": 5})
    assert limits == Limits(max_rows=5)
    assert Limits.of(None) == Limits()


DAMAGE = """
import random, sys
from pathlib import Path
from assay_runner.snapshot import build
from unmeasured import Unmeasured
directory, whole = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
generator = random.Random(7)
for number in range(150):
    data = bytearray(whole)
    for _ in range(generator.randrange(1, 4)):
        data[generator.randrange(4, len(data))] = generator.randrange(256)
    (directory / "a").write_bytes(data)
    snapshot = directory / str(number)
    snapshot.mkdir()
    try:
        build.build_snapshot({"format": sys.argv[3], "path": "a", "limits": {"maxBytes": 10**7}},
                    snapshot_dir=str(snapshot), source_dir=str(directory), measuring=Unmeasured)
    except Exception as error:
        assert str(error).endswith((".", "s", "e", ")")), str(error)
        assert not list(snapshot.iterdir())
print("done")
"""


@pytest.mark.parametrize("source_format", ["parquet", "feather"])
def test_a_damaged_file_is_refused_and_leaves_nothing(tmp_path: Path, source_format: str) -> None:
    frame = rich().reset_index()
    whole = tmp_path / "whole"
    if source_format == "parquet":
        whole.write_bytes(parquet(frame))
    else:
        frame.to_feather(whole)
    command = [sys.executable, "-c", DAMAGE, str(tmp_path), str(whole), source_format]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (gzip.compress(b"a\n1\n", mtime=0), "compression gzip"),
        (b"PK\x03\x04\xff\xfe", "compression zip, or with the format excel"),
        (b"PAR1\xff\xff", "format parquet"),
        (b"\xff,b\n", "Give the option encoding: cp1252 or latin-1"),
    ],
    ids=["gzip", "zip", "parquet", "header"],
)
def test_bytes_that_are_no_text_are_named(tmp_path: Path, data: bytes, advice: str) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(ReaderError, match=advice):
        make(tmp_path, format="csv", path="a.csv")
