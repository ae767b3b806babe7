"""What the ways from a dataset to `df` take, on this machine: needs no cluster."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.fresh_process import environment
from cluster.settings import REPOSITORY

_PROGRAM = Path(__file__).with_name("frame_ways.py")
_KINDS = ("numbers", "text", "wide")
_MEGABYTE = 1_000_000

# By the words of `frame_ways.py`, and the files that each reads.
_WAYS: Mapping[str, tuple[str, str]] = {
    "mapped": ("stored frame, mapped", "frame.arrow"),
    "copied": ("stored frame, copied", "frame.arrow"),
    "parquet": ("Parquet", "frame.parquet"),
    "csv": ("`read_csv`", "source.csv"),
}
_FROM_DISK = "stored frame, mapped, not in the page cache"


@dataclass(frozen=True)
class Row:
    """The medians of one way: milliseconds, and the MiB that are resident beyond before."""

    kind: str
    megabytes: int
    way: str
    figures: Mapping[str, float]


def measure(
    megabytes: Sequence[int], rounds: int, directory: Path, kinds: Sequence[str] = _KINDS
) -> Iterator[Row]:
    """Make each table, and load it in each way by `rounds` new processes in turn."""
    python = environment()
    for size in megabytes:
        for kind in kinds:
            with tempfile.TemporaryDirectory(dir=directory) as made:
                large, small = (Path(made) / name for name in ("large", "small"))
                for folder, length in ((small, 1), (large, size)):
                    folder.mkdir()
                    _call(python, "store", kind, str(length * _MEGABYTE), str(folder))
                yield from _rows(python, kind, size, large, small, rounds)


def _rows(
    python: Path, kind: str, megabytes: int, folder: Path, small: Path, rounds: int
) -> Iterator[Row]:
    samples: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        for word, (way, file) in _WAYS.items():
            _read(folder / file)
            samples.setdefault(way, []).append(_load(python, word, kind, folder, small))
        _evict(folder / "frame.arrow")
        samples.setdefault(_FROM_DISK, []).append(_load(python, "mapped", kind, folder, small))
    for way, found in samples.items():
        figures = {name: statistics.median(one[name] for one in found) for name in found[0]}
        yield Row(kind, megabytes, way, figures)


def _load(python: Path, way: str, kind: str, folder: Path, small: Path) -> dict[str, float]:
    output = _call(python, "load", way, kind, str(folder), str(small))
    loaded: dict[str, float] = json.loads(output)
    return loaded


def _call(python: Path, *arguments: str) -> str:
    done = subprocess.run(
        [python, _PROGRAM, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "images" / "runner" / "src")},
    )
    return done.stdout


def _read(file: Path) -> None:
    """Bring a file into the page cache, where writing it may have left only its end."""
    with file.open("rb") as content:
        while content.read(_MEGABYTE):
            pass


def _evict(file: Path) -> None:
    """Take a file out of the page cache."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        # Only what is on disk can be.
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = [
        "| CSV, MB | way | to `df`, ms | first scan, ms | second scan, ms | memory, MiB"
        " | highest, MiB | of the file, MiB |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    names = ("df", "first_scan", "second_scan", "anonymous", "peak", "file")
    for row in rows:
        cells = [f"{row.megabytes}, {row.kind}", row.way]
        cells += [_rounded(row.figures[name]) for name in names]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _rounded(value: float) -> str:
    return f"{value:.1f}" if abs(value) < 10 else f"{value:,.0f}"


def main(arguments: Sequence[str]) -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="dev/bench frames",
        description="Measures the ways from the files of a dataset to df in a process that has its"
        " libraries imported, and the first scans of a column. Needs no cluster.",
    )
    add = parser.add_argument
    add("--megabytes", type=int, nargs="+", default=[10, 100, 1000], help="sizes of the CSV files")
    add("--kinds", nargs="+", choices=_KINDS, default=_KINDS, help="default all")
    add("--rounds", type=int, default=3, help="new processes for each way (default 3)")
    add("--directory", type=Path, help="where the files are made; 7 times the largest size is used")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    try:
        rows.extend(measure(options.megabytes, options.rounds, options.directory, options.kinds))
    finally:
        # Whoever is interrupted has the sizes before.
        print(table(rows))
    return 0
