"""Names of a table's columns, which SQL tells apart without regard to case."""

from __future__ import annotations

from collections.abc import Iterable


def table_names(names: Iterable[object]) -> list[str]:
    """Return a name for each column that no other column has, in either case.

    A blank name becomes `column_N`, with the column's position from 1. Of names that are equal or
    differ only in case, the first keeps its name, and the others get the first free suffix `_1`,
    `_2`….
    """
    wanted = [_readable(name, position) for position, name in enumerate(names, start=1)]
    taken = {name.lower() for name in wanted}
    seen: set[str] = set()
    last: dict[str, int] = {}
    unique = []
    for name in wanted:
        folded = name.lower()
        if folded in seen:
            number = last.get(folded, 0) + 1
            while f"{folded}_{number}" in taken:
                number += 1
            last[folded] = number
            name = f"{name}_{number}"
            folded = name.lower()
            taken.add(folded)
        seen.add(folded)
        unique.append(name)
    return unique


def _readable(name: object, position: int) -> str:
    text = str(name).replace("\0", "\N{REPLACEMENT CHARACTER}")
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if text.strip() else f"column_{position}"
