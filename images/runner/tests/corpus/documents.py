"""JSON and JSON lines."""

from __future__ import annotations

import gzip
from typing import Any

from corpus.case import Case, text


def _json(name: str, content: str, **options: Any) -> Case:  # noqa: ANN401
    return Case(f"{name}.json", "json", text(content), options)


def _lines(name: str, content: str, **options: Any) -> Case:  # noqa: ANN401
    return Case(f"{name}.ndjson", "ndjson", text(content), options)


NESTED = '[{"a": {"b": [1, 2]}, "c": [{"d": 1}]}, {"a": {"b": []}, "c": null}]'
DATES = '[{"date": "2024-01-01", "created_at": 1704067200, "d": "2024-02-30"}]'

CASES = (
    _json("records", '[{"a": 1, "b": "x"}, {"b": "y", "c": 1.5}]'),
    _json("object of columns", '{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": null}}'),
    _json("empty list", "[]"),
    _json("empty object", "{}"),
    _json("empty", ""),
    _json("list of lists", '[["a", 1], ["b", 2]]'),
    _json("list of numbers", "[1, 2, 3]"),
    _json("number", "7"),
    _json("text", '"secret"'),
    _json("scalars", '{"a": 1, "b": 2}'),
    _json("nested", NESTED),
    _json("mixed types", '[{"a": 1}, {"a": "x"}, {"a": [1]}, {"a": true}, {"a": null}]'),
    _json("truth", '[{"a": true}, {"a": false}]'),
    _json("truth with gaps", '[{"a": true}, {"a": null}]'),
    _json("all null", '[{"a": null}, {"a": null}]'),
    _json("leading zeros", '[{"zip": "01234"}, {"zip": "00501"}]'),
    _json("leading zeros kept", '[{"zip": "01234"}, {"zip": "00501"}]', dtype={"zip": "str"}),
    _json("no types", '[{"zip": "01234", "n": 1}]', dtype=False),
    _json("beyond 2^53", '[{"a": 9007199254740993}, {"a": 1}]'),
    _json("beyond 2^63", '[{"a": 9223372036854775808}]'),
    _json("beyond 2^64", '[{"a": 18446744073709551616}]'),
    _json("dates", DATES),
    _json("dates kept", DATES, convert_dates=False),
    _json("dates named", DATES, convert_dates=["d"]),
    _json("split", '{"columns": ["a"], "index": ["x"], "data": [[1]]}', orient="split"),
    _json("index", '{"x": {"a": 1}, "y": {"a": 2}}', orient="index"),
    _json("not split", '{"secret": 1}', orient="split"),
    _json("duplicate members", '[{"a": 1, "a": 2}]'),
    _json("escapes", '[{"a": "\\u00e9\\n\\ud83d\\ude00", "b": "[[{\\"\\\\"}]'),
    _json("no such escape", '[{"a": "\\ud8secret"}]'),
    _json("cut off", '[{"a": 1}, {"a": "secret'),
    _json("comma too many", '[{"a": 1},\n {"a": "secret",}]'),
    _json("more behind", '[{"a": 1}] secret'),
    _json("columns of different length", '{"a": [1], "b": [1, 2]}'),
    Case("latin-1.json", "json", text('[{"a": "é"}]', "latin-1"), {"encoding": "latin-1"}),
    Case("latin-1 taken for utf-8.json", "json", text('[{"a":\n "secreté"}]', "latin-1")),
    Case("byte order mark.json", "json", text('\ufeff[{"a": 1}]')),
    _json("lines by option", '{"a": 1}\n{"a": 2}\n', lines=True),
    _lines("lines", '{"a": 1, "b": "x"}\n{"a": 2, "c": null}\n'),
    _lines("lines with blanks", '{"a": 1}\n\n{"a": 2}\n'),
    _lines("lines crlf", '{"a": 1}\r\n{"a": 2}\r\n'),
    _lines("line that is broken", '{"a": 1}\n{"a": "secret"\n{"a": 3}\n'),
    _lines("no lines", ""),
    Case(
        "lines.ndjson.gz",
        "ndjson",
        lambda: gzip.compress(b'{"a": 1}\n{"a": 2}\n', mtime=0),
        {},
        "gzip",
    ),
)
