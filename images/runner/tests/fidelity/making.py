"""Makes tables of texts as sources have them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Cell = Callable[[random.Random], str]


def _whole(digits: int) -> Cell:
    return lambda r: str(r.randrange(10 ** (digits - 1), 10**digits))


def _date(form: str) -> Cell:
    def cell(r: random.Random) -> str:
        day = {"Y": r.randrange(1950, 2050), "m": r.randrange(1, 13), "d": r.randrange(1, 29)}
        time = {"H": r.randrange(24), "M": r.randrange(60), "S": r.randrange(60)}
        return form.format(**day, **time, f=r.randrange(1000))

    return cell


KINDS: Mapping[str, Cell] = {
    "small": lambda r: str(r.randrange(-100, 100)),
    "number": lambda r: repr(r.uniform(-1e6, 1e6)),
    "price": lambda r: f"{r.uniform(0, 1000):.2f}",
    "short decimal": lambda r: r.choice([".5", "5.", "-.25", "1.0"]),
    "id of 16 digits": _whole(16),
    "id of 19 digits": _whole(19),
    "unsigned": lambda r: str(r.randrange(2**63, 2**64)),
    "beyond 64 bits": _whole(22),
    "zip": lambda r: f"{r.randrange(100_000):05}",
    "phone": lambda r: f"+49{r.randrange(10**9)}",
    "article": lambda r: f"{r.randrange(1, 9)}E{r.randrange(1, 9)}",
    "scientific": lambda r: f"{r.uniform(1, 9):.3e}",
    "many digits": lambda r: f"0.{r.randrange(10**20, 10**21)}",
    "overflowing": lambda r: f"{r.randrange(1, 9)}.5e{r.randrange(290, 330)}",
    "comma": lambda r: f"{r.randrange(1000):,}.{r.randrange(100):02}".translate({44: ".", 46: ","}),
    "truth": lambda r: r.choice(["true", "false"]),
    "Truth": lambda r: r.choice(["True", "False", "TRUE", "FALSE"]),
    "zero or one": lambda r: r.choice("01"),
    "yes or no": lambda r: r.choice(["yes", "no"]),
    "infinite": lambda r: r.choice(["inf", "-inf", "1.5"]),
    "text": lambda r: "".join(r.choices("abc ,;\"\n'äß漢😀", k=r.randrange(1, 9))) + "x",
    "padded": lambda r: r.choice([" a", "b ", "  "]) + "y",
    "country": lambda r: r.choice(["DE", "FR", "NA", "US"]),
    "version": lambda r: f"{r.randrange(4)}.{r.randrange(20)}.{r.randrange(9)}",
    "uuid": lambda r: f"{r.getrandbits(128):032x}",
    "hexadecimal": lambda r: hex(r.randrange(256)),
    "day": _date("{Y:04}-{m:02}-{d:02}"),
    "time": _date("{Y:04}-{m:02}-{d:02} {H:02}:{M:02}:{S:02}"),
    "minute": _date("{Y:04}-{m:02}-{d:02}T{H:02}:{M:02}"),
    "zoned": _date("{Y:04}-{m:02}-{d:02}T{H:02}:{M:02}:{S:02}Z"),
    "offset": _date("{Y:04}-{m:02}-{d:02}T{H:02}:{M:02}:{S:02}+02:00"),
    "fraction": _date("{Y:04}-{m:02}-{d:02} {H:02}:{M:02}:{S:02}.{f:03}"),
    "no day": lambda r: f"2024-02-{r.randrange(28, 32)}",
    "day or month": _date("{d:02}/{m:02}/{Y:04}"),
    "compact day": _date("{Y:04}{m:02}{d:02}"),
}
"""Cells by what they look like; each is a trap for a reader, or is near one."""

_FEW = ("-", "?", "total", "n/a", "1", "x", "02134", "1E5", "true")
NAMES = ("a", "b c", "Änderung", "select", "x ", "X", "1", "d.e")


@dataclass(frozen=True)
class Column:
    """A column of a source: its name, what its cells look like, and their texts."""

    name: str
    kind: str
    cells: list[str]


def table(seed: int) -> list[Column]:
    """Return a table of up to 8 columns and 60 rows."""
    r = random.Random(seed)  # noqa: S311 - to be repeated
    rows = r.choice([1, 2, 5, 20, 60])
    names = r.sample(NAMES, r.randrange(1, len(NAMES) + 1))
    return [_column(r, name, rows) for name in names]


def _column(r: random.Random, name: str, rows: int) -> Column:
    kind = r.choice(list(KINDS))
    cells = [KINDS[kind](r) for _ in range(rows)]
    if r.random() < 0.4:
        other = r.choice(["", "", "", "NA", *_FEW] if kind != "country" else [""])
        for row in r.sample(range(rows), max(1, rows // 10)):
            cells[row] = other
    return Column(name, kind, cells)
