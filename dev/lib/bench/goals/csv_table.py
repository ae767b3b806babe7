"""A dataset of a CSV file of 100 MB beside DuckDB in Python that reads the file."""

from __future__ import annotations

import math
import random
import statistics
import tempfile
import time
from pathlib import Path

from bench.goals import Bench, Goal
from bench.runs import run_to_end, seconds_between
from bench.tools import ROWS, SQL_CLASS, THREADS, engine_milliseconds

_NAME = "bench-csv"
_BYTES = 100_000_000
_LINES_AT_ONCE = 100_000
_RUN_SECONDS = 600
GROUP = "SELECT shop, count(*) AS n, avg(price) AS mean, max(day) AS last FROM {} GROUP BY shop"
_SOURCE = f"read_csv('/workspace/{_NAME}.csv')"


def measure(bench: Bench) -> list[Goal]:
    """Writes the file, loads it, and compares both queries."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "table.csv"
        write(file)
        first, *loadings = [_load(bench, f"{_NAME}-{n}", file) for n in range(bench.rounds)]
        loadings.append(_load(bench, _NAME, file))
        for number in range(bench.rounds):
            bench.front_end.request("DELETE", f"/datasets/{_NAME}-{number}")
    table = _NAME.replace("-", "_")
    parameters = {
        "threads": THREADS,
        "views": {},
        "rows": ROWS,
        "queries": {"group": GROUP.format(_SOURCE), "profile": f"SUMMARIZE FROM {_SOURCE}"},
    }
    groups, profiles, peer_groups, peer_profiles = [], [], [], []
    for number in range(bench.rounds):
        bench.settle()
        peer = bench.tools.program("duckdb_peer", [_NAME], parameters)
        bench.settle()
        query = f"{GROUP.format(table)} -- round {number}"
        groups.append(engine_milliseconds(bench.tools.query(query, [_NAME])))
        bench.settle()
        profiles.append(_profile(bench))
        peer_groups.append(peer["group"]["ms"])
        peer_profiles.append(peer["profile"]["ms"])
    group, peer_group = statistics.median(groups), statistics.median(peer_groups)
    profile, peer_profile = statistics.median(profiles), statistics.median(peer_profiles)
    loading = statistics.median(loadings)
    calls = math.ceil(loading * 1000 / (peer_group - group))
    return [
        Goal(
            "group-by of a 100 MB CSV: peer that reads it / engine",
            ">=",
            5,
            peer_group / group,
            "",
            f"{peer_group:.0f} / {group:.0f} ms",
        ),
        Goal(
            "calls until loading has paid",
            "<=",
            20,
            calls,
            "calls",
            f"{loading:.1f} s from the upload to Ready, {first:.1f} s the first time;"
            f" {peer_group - group:.0f} ms less a call",
        ),
        Goal(
            "profile of it / SUMMARIZE of the CSV",
            "<=",
            1,
            profile / peer_profile,
            "",
            f"{profile:.0f} / {peer_profile:.0f} ms",
        ),
    ]


def _load(bench: Bench, name: str, file: Path) -> float:
    """Seconds from the upload until the dataset is Ready."""
    bench.settle()
    began = time.monotonic()
    bench.front_end.upload(name, file, {"snapshotClass": "snapshot-stream"})
    return time.monotonic() - began


def write(file: Path, size: int = _BYTES, seed: int = 7) -> None:
    """Write lines of six columns until the file has at least `size` bytes."""
    chosen = random.Random(seed)
    line = 0
    with file.open("w", encoding="utf-8") as output:
        output.write("id,day,shop,item,price,quantity\n")
        while output.tell() < size:
            shops = chosen.choices(range(500), k=_LINES_AT_ONCE)
            items = chosen.choices(range(20_000), k=_LINES_AT_ONCE)
            cents = chosen.choices(range(100, 1_000_000), k=_LINES_AT_ONCE)
            for shop, item, price in zip(shops, items, cents, strict=True):
                line += 1
                day = f"2024-{item % 12 + 1:02}-{shop % 28 + 1:02}"
                amount = f"{price // 100}.{price % 100:02}"
                output.write(f"{line},{day},shop-{shop},item-{item},{amount},{price % 9}\n")


def _profile(bench: Bench) -> float:
    """Milliseconds from the job's first instruction to its end: more than the engine's."""
    spec = {
        "language": "sql",
        "builtin": {"name": "profile", "arguments": '{"computeStats": true}'},
        "datasets": [_NAME],
        "className": SQL_CLASS,
        "timeoutSeconds": _RUN_SECONDS,
    }
    run = run_to_end(bench.kubernetes, bench.namespace, spec, _RUN_SECONDS)
    return seconds_between(run.status, "started", "finished") * 1000
