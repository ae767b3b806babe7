"""Parts of the tables as files of about 150,000 tokens each, which fill most of a context."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.economy.tables import Tables


@dataclass(frozen=True)
class _Slice:
    """The first rows of a table.

    Attributes:
        rows: how many; the range of the figures says whether their tokens are as many as meant.
        where: the values of columns that they have.
    """

    table: str
    rows: int
    where: Mapping[str, str] = field(default_factory=dict)


_SLICES: Mapping[str, _Slice] = {
    "films": _Slice("movies", 1125),
    "flights_january": _Slice("flights", 2650, {"month": "1"}),
    "flights_july": _Slice("flights", 2650, {"month": "7"}),
    "weather_ewr": _Slice("weather", 2610, {"origin": "EWR"}),
    "weather_lga": _Slice("weather", 2610, {"origin": "LGA"}),
}
NAMES: Sequence[str] = tuple(_SLICES)
_JSON = ("films",)


def of(folder: Path) -> Tables:
    """Those of a folder that `cut` has filled."""
    return Tables(folder, NAMES, _JSON)


def cut(tables: Tables, folder: Path, names: Sequence[str] = NAMES) -> Tables:
    """Write them, or some of them, to a folder, which exists."""
    slices = of(folder)
    for name in names:
        one = _SLICES[name]
        write = _write_json if name in _JSON else _write_csv
        write(one, tables.path(one.table), slices.path(name))
    return slices


def _write_json(one: _Slice, source: Path, target: Path) -> None:
    rows = json.loads(source.read_text())[: one.rows]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    target.write_text(f"[\n{lines}\n]\n")


def _write_csv(one: _Slice, source: Path, target: Path) -> None:
    with source.open(newline="") as read, target.open("w", newline="") as written:
        rows = csv.reader(read)
        writer = csv.writer(written, lineterminator="\n")
        head = next(rows)
        writer.writerow(head)
        places = {head.index(column): value for column, value in one.where.items()}
        count = 0
        for row in rows:
            if count == one.rows:
                break
            if all(row[place] == value for place, value in places.items()):
                writer.writerow(row)
                count += 1
