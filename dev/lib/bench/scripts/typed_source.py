"""A script in TypeScript of a length, and the same in JavaScript."""

from __future__ import annotations

from typing import NamedTuple

_TYPED = """\
interface Row{n} {{ id: number; name?: string; tags: string[]; parent?: Row{n} | null }}
type Pair{n}<T> = {{ readonly left: T; readonly right: T }};
function pick{n}<T extends keyof Row{n}>(row: Row{n}, key: T): Row{n}[T] {{
  const found = row[key] as Row{n}[T];
  return found!;
}}
const rows{n}: Row{n}[] = [1, 2, 3].map((id: number): Row{n} =>
  ({{ id: id * {n}, tags: [`t${{id}}`] }}));
const pair{n}: Pair{n}<number> = {{ left: pick{n}(rows{n}[0], 'id'), right: rows{n}.length }};
total += pair{n}.left + pair{n}.right;
"""
_PLAIN = """\
function pick{n}(row, key) {{
  const found = row[key];
  return found;
}}
const rows{n} = [1, 2, 3].map((id) =>
  ({{ id: id * {n}, tags: [`t${{id}}`] }}));
const pair{n} = {{ left: pick{n}(rows{n}[0], 'id'), right: rows{n}.length }};
total += pair{n}.left + pair{n}.right;
"""


class TypedSource(NamedTuple):
    """Both, and their value.

    Attributes:
        typescript: of the length.
        javascript: the same without types.
        value: of both.
    """

    typescript: str
    javascript: str
    value: int


def typed_source(length: int) -> TypedSource:
    """The longest one that is not longer than so many bytes."""
    typed, plain = ["let total: number = 0;\n"], ["let total = 0;\n"]
    end = "total\n"
    value = number = 0
    size = len(typed[0]) + len(end)
    while size + len(part := _TYPED.format(n=number + 1)) <= length:
        number += 1
        typed.append(part)
        plain.append(_PLAIN.format(n=number))
        size += len(part)
        value += number + 3
    return TypedSource("".join([*typed, end]), "".join([*plain, end]), value)
