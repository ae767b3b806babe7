"""How files and datasets are called: by the rules of local mode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

MAX_NAME = 63
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".feather": "feather",
    ".xlsx": "excel",
}
COMPRESSIONS = {".gz": "gzip", ".zip": "zip"}
ENDINGS = ", ".join(FORMATS)
RULE = (
    f"a dataset's name has 1 to {MAX_NAME} letters, digits, '_', '-', '.' and spaces, and begins"
    " and ends with a letter or digit"
)

_VALID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 _.-]*[A-Za-z0-9])?")


@dataclass(frozen=True)
class FileType:
    """What the name of a file says about its content.

    Attributes:
        format: how it is read, as REST calls it.
        compression: `gzip`, `zip` or None.
        stem: the name without these endings.
    """

    format: str
    compression: str | None
    stem: str


def file_type(name: str) -> FileType | None:
    """By the endings of a name, in either case; None where they are of no format."""
    inner, compression = name, compression_of(name)
    if compression is not None:
        inner = name[: name.rindex(".")]
    for ending, found in FORMATS.items():
        if inner.lower().endswith(ending):
            return FileType(found, compression, inner[: -len(ending)])
    return None


def compression_of(name: str) -> str | None:
    """How a file is compressed by its name."""
    return next((c for ending, c in COMPRESSIONS.items() if name.lower().endswith(ending)), None)


def is_valid(name: str) -> bool:
    """Whether a dataset can have this name."""
    return len(name) <= MAX_NAME and _VALID.fullmatch(name) is not None


def nearest(text: str) -> str:
    """The valid name closest to a text, `Umsatze` of `Umsätze`; empty where there is none."""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M"
    )
    name = re.sub(r"[^A-Za-z0-9 _.-]+", "_", plain)
    name = re.sub(r"^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "", name)
    return name if len(name) <= MAX_NAME else nearest(name[:MAX_NAME])


def resource_name(name: str) -> str:
    """The name in Kubernetes: names that differ only in case or separators are one dataset."""
    return re.sub(r"[ _.]", "-", name.lower())


def table_name(name: str) -> str:
    """The name of the dataset's table in SQL."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def without_prefix(text: str) -> str:
    """What an argument of a tool, or a query, calls a dataset by, without where it is."""
    return re.sub(r"^(dataset://|/workspace/|\./)", "", text.strip())


def in_sql(sql: str, names: Iterable[str]) -> list[str]:
    """The datasets that a query reads, as tables or as files such as `'sales.csv'`, each once.

    Args:
        sql: the query.
        names: of the datasets that there are.
    """
    by_table = {table_name(name).lower(): name for name in names}
    found: dict[str, None] = {}
    for source in map(without_prefix, sources(sql)):
        type_ = file_type(source)
        texts = [] if "/" in source else [source, type_.stem if type_ else source]
        tables = [table_name(text).lower() for text in texts]
        found.update((by_table[table], None) for table in tables if table in by_table)
    return list(found)


_TOKEN = re.compile(
    r"""--[^\n]* | /\*.*?(?:\*/|\Z) | (?P<dollar>\$\w*\$).*?(?:(?P=dollar)|\Z)
    | (?P<quoted>"(?:[^"]|"")*" | '(?:[^']|'')*') | (?P<word>[^\W\d]\w*) | (?P<other>\d\w*|\S)""",
    re.VERBOSE | re.DOTALL,
)
_STATEMENTS = {"summarize", "describe", "pivot", "unpivot"}
_AFTER_SOURCES = {
    *("select", "where", "group", "order", "having", "limit", "offset", "window", "qualify"),
    *("union", "except", "intersect", "set", "values"),
}


def sources(sql: str) -> list[str]:
    """The tables and files that a query reads, without schemas and quotes, in their order.

    They stand after FROM and JOIN and between the commas of such a list. Those that a WITH clause
    defines are among them.
    """
    found: list[str] = []
    # Within the innermost parenthesis: whether a source comes next, and whether one does after a
    # comma; whether FROM is that of a function, as in extract(year FROM day).
    due = listed = in_call = False
    outer: list[tuple[bool, bool]] = []
    last = ""  # the word before, or another token; empty at the beginning and after a parenthesis
    was_source = False
    for token in _TOKEN.finditer(sql):
        if token.lastgroup not in {"quoted", "word", "other"}:
            continue
        text = token.group()
        word = text.lower() if token["word"] else ""
        is_source = False
        if text in {"(", "[", "{"}:
            if was_source:
                found.pop()  # It is a function.
            outer.append((listed or due, in_call))
            due, listed, in_call = due and not was_source, False, not due
        elif text in {")", "]", "}"}:
            due = False
            listed, in_call = outer.pop() if outer else (False, False)
        elif text == "." and was_source:
            found.pop()  # It is a schema.
            due = True
        elif text == "," or text == ";":
            due = listed = listed and text == ","
        elif word in {"from", "join"}:
            due = last != "distinct" and not (in_call and last)
        elif word in _STATEMENTS and last in {"", ";"}:
            due = True
        elif word in _AFTER_SOURCES:
            due = listed = False
            in_call = in_call and word != "select"
        elif due and (token["quoted"] or word not in {"", "lateral", "only"}):
            found.append(text if word else text[1:-1].replace(text[0] * 2, text[0]))
            due, listed, is_source = False, True, True
        else:
            due = due and bool(word)
        was_source = is_source
        last = "" if text == "(" else word or text
    return found
