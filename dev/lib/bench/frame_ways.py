"""Makes the frame of a table, and loads it in one way.

    python frame_ways.py store KIND BYTES DIRECTORY
    python frame_ways.py load WAY KIND DIRECTORY SMALL

Run by the Python of the runner's image with the runner's sources. `load` prints JSON. It loads the
table in SMALL first, since a worker of a warm Pod has used its libraries.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assay_runner import snapshot_files, snapshot_loading
from assay_runner.snapshot.table import write_table

_SOURCE = "source.csv"
_ROWS_AT_ONCE = 200_000
_WIDE_ROWS_AT_ONCE = 10_000
_WIDE_COLUMNS = 200
_SCANS: Mapping[str, Callable[[Any], Any]] = {
    "numbers": lambda df: df["price"].sum(),
    "text": lambda df: df["comment"].str.len().sum(),
    "wide": lambda df: df["c100"].sum(),
}
_WORDS = (
    "north",
    "delivery",
    "late",
    "größer",
    "customer",
    "ok",
    "returned",
    "twice",
    "a",
    "\u8336",
)


def _numbers(random: Any, first: int) -> Any:
    """Ten columns of whole numbers and decimals, one with gaps."""
    rows = np.arange(first, first + _ROWS_AT_ONCE)
    columns: dict[str, Any] = {"id": rows, "shop": random.integers(0, 500, len(rows))}
    for name in ("price", "weight", "width", "height", "depth"):
        columns[name] = random.integers(100, 10_000_000, len(rows)) / 100
    for name in ("quantity", "stock"):
        columns[name] = random.integers(0, 1_000_000, len(rows))
    discount = random.random(len(rows)).round(3)
    columns["discount"] = np.where(discount < 0.1, np.nan, discount)
    return pd.DataFrame(columns)


def _text(random: Any, first: int) -> Any:
    """Five columns of text and a number: few values, many, with gaps, long ones, all distinct."""
    count = _ROWS_AT_ONCE
    words = np.array(_WORDS, dtype=object)
    comment = words[random.integers(0, len(words), count)]
    for _ in range(7):
        comment = comment + " " + words[random.integers(0, len(words), count)]
    city = "city-" + pd.Series(random.integers(0, 20_000, count)).astype(str)
    return pd.DataFrame(
        {
            "id": np.arange(first, first + count),
            "region": words[random.integers(0, 4, count)],
            "city": city.mask(random.random(count) < 0.1),
            "item": "item-" + pd.Series(random.integers(0, 2_000_000, count)).astype(str),
            "comment": comment,
            "order": "order-" + pd.Series(np.arange(first, first + count)).astype(str),
        }
    )


def _wide(random: Any, first: int) -> Any:
    """A whole number and many decimals."""
    count = _WIDE_ROWS_AT_ONCE
    columns: dict[str, Any] = {"id": np.arange(first, first + count)}
    for number in range(1, _WIDE_COLUMNS):
        columns[f"c{number}"] = random.integers(100, 10_000_000, count) / 100
    return pd.DataFrame(columns)


_TABLES: Mapping[str, Callable[[Any, int], Any]] = {
    "numbers": _numbers,
    "text": _text,
    "wide": _wide,
}


def store(kind: str, size: int, directory: Path) -> None:
    """Write a CSV file of at least this size, and of it what a snapshot has."""
    random = np.random.default_rng(7)
    source = directory / _SOURCE
    with source.open("w", encoding="utf-8") as file:
        first = 0
        while file.tell() < size:
            rows = _TABLES[kind](random, first)
            rows.to_csv(file, index=False, header=first == 0)
            first += len(rows)
    frame = pd.read_csv(source)
    if not snapshot_files.store_frame(frame, str(directory)):
        raise RuntimeError("the stored frame is not the one that was read")
    write_table(frame, str(directory))
    description = {
        "version": 1,
        "format": "csv",
        "pandas": pd.__version__,
        "frame": {"file": snapshot_files.FRAME},
    }
    (directory / snapshot_files.DESCRIPTION).write_text(json.dumps(description))


def _copied(directory: Path) -> Any:
    with pa.OSFile(str(directory / snapshot_files.FRAME)) as file:
        return pa.ipc.open_file(file).read_all().to_pandas()


_WAYS: Mapping[str, Callable[[Path], Any]] = {
    "mapped": lambda directory: snapshot_loading.load(str(directory)),
    "copied": _copied,
    "parquet": lambda directory: pd.read_parquet(directory / snapshot_files.TABLE),
    "csv": lambda directory: pd.read_csv(directory / _SOURCE),
}


def load(way: str, kind: str, directory: Path, small: Path) -> dict[str, float]:
    """Milliseconds until there is a frame, and of two scans of a column; memory in MiB."""
    _SCANS[kind](_WAYS[way](small))
    before = _memory()
    times = [time.perf_counter()]
    frame = _WAYS[way](directory)
    times.append(time.perf_counter())
    loaded = _memory()
    for _ in range(2):
        _SCANS[kind](frame)
        times.append(time.perf_counter())
    scanned = _memory()
    milliseconds = [(end - begin) * 1000 for begin, end in itertools.pairwise(times)]
    return {
        **dict(zip(("df", "first_scan", "second_scan"), milliseconds, strict=True)),
        "anonymous": scanned["RssAnon"] - before["RssAnon"],
        "file": scanned["RssFile"] - before["RssFile"],
        "peak": loaded["VmHWM"] - before["VmRSS"],
    }


def _memory() -> dict[str, float]:
    lines = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    names = ("VmRSS", "VmHWM", "RssAnon", "RssFile")
    return {name: int(fields[name].split()[0]) / 1024 for name in names}


if __name__ == "__main__":
    command, first, second, *folders = sys.argv[1:]
    if command == "store":
        store(first, int(second), Path(folders[0]))
    else:
        print(json.dumps(load(first, second, Path(folders[0]), Path(folders[1]))))
