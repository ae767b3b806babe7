"""How files and datasets are called: by the rules of local mode."""

from __future__ import annotations

import re
import unicodedata
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


def sources(sql: str) -> list[str]:
    """What stands after FROM and JOIN in a query, without quotes: names of tables and files."""
    found = re.findall(
        r"""\b(?:from|join)\s+(?:"([^"]+)"|'([^']+)'|([\w.]+))""", sql, re.IGNORECASE
    )
    return ["".join(alternatives) for alternatives in found]


def words(sql: str) -> set[str]:
    """What may be the name of a table in a query, in lower case: also within texts and comments."""
    return {word.lower() for word in re.findall(r"[A-Za-z0-9_]+", sql)}
