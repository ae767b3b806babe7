"""Malicious files, each refused with a message that names the cause."""

from __future__ import annotations

import gzip
import io
import re
import stat
import zipfile
from collections.abc import Callable, Mapping

import pandas as pd
import pyarrow as pa

from corpus.case import Case, text
from corpus.typed import parquet, workbook

_LIMIT = "LimitExceededError"
_REFUSED = "SourceRefusedError"
_MIB = 1024 * 1024


def _zip(entries: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            archive.writestr(entry, content)
    return file.getvalue()


def _link() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        entry = zipfile.ZipInfo("a.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return file.getvalue()


def _encrypted() -> bytes:
    data = bytearray(_zip({"a.csv": b"a\n1\n"}))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


def _understated() -> bytes:
    """An archive whose file is longer than its declared size."""
    plain = b"a\n" + b"1\n" * 1000
    data = _zip({"a.csv": plain})
    return data.replace(len(plain).to_bytes(4, "little"), (10).to_bytes(4, "little"))


def _bomb() -> bytes:
    return gzip.compress(b"a\n" + b"1\n" * (20 * _MIB), mtime=0)


def _workbook_part(name: str, change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """Return a function that makes a workbook with one modified part."""

    def make() -> bytes:
        plain = io.BytesIO(workbook(lambda book: book.active.append(("a", 1))))
        with zipfile.ZipFile(plain) as archive:
            parts = {entry: archive.read(entry) for entry in archive.namelist()}
        return _zip({**parts, name: change(parts[name])})

    return make


_SHEET = "xl/worksheets/sheet1.xml"
_ENTITIES = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


def _far_cell(part: bytes) -> bytes:
    return part.replace(b'r="B1"', b'r="XFD1048576"')


def _many_cells(part: bytes) -> bytes:
    return part.replace(b'r="B1"', b'r="ZZ1000000"')


def _cells_without_places(part: bytes) -> bytes:
    rows = b"<row>" + b"<c/>" * 9000 + b'</row><row r="1000000"><c><v>1</v></c></row>'
    return re.sub(rb"<sheetData>.*</sheetData>", b"<sheetData>" + rows + b"</sheetData>", part)


def _deep_type() -> bytes:
    data_type = pa.int64()
    for _ in range(80):
        data_type = pa.struct([("a", data_type)])
    return parquet(pa.table({"a": pa.nulls(1, data_type)}))


def _zeros() -> bytes:
    frame = pd.DataFrame({"a": [0] * 100_000})
    return parquet(frame, compression="gzip", use_dictionary=False)


def _deep(depth: int) -> bytes:
    return b'[{"a": ' + b"[" * (depth - 2) + b"]" * (depth - 2) + b"}]"


CASES = (
    Case("bomb.csv.gz", "csv", _bomb, {}, "gzip", {}, _REFUSED),
    Case("bomb.csv.zip", "csv", lambda: _zip({"a": bytes(20 * _MIB)}), {}, "zip", {}, _REFUSED),
    Case(
        "over the limit.csv.gz",
        "csv",
        lambda: gzip.compress(b"a\n" + b"1\n" * 1000, mtime=0),
        {},
        "gzip",
        {"maxBytes": 2001},
        _LIMIT,
    ),
    Case("over the limit.csv", "csv", text("a\n1\n"), {}, None, {"maxBytes": 3}, _LIMIT),
    Case("rows over the limit.csv", "csv", text("a\n1\n2\n3\n"), {}, None, {"maxRows": 2}, _LIMIT),
    Case("columns over.csv", "csv", text("a,b,c\n1,2,3\n"), {}, None, {"maxColumns": 2}, _LIMIT),
    Case("quoted columns.csv", "csv", text('"a,b,c"\n1\n'), {}, None, {"maxColumns": 2}),
    Case("columns in quotes.csv", "csv", text('"a",b,c\n'), {}, None, {"maxColumns": 2}, _LIMIT),
    Case("only separators.csv", "csv", lambda: b"," * _MIB, {}, None, {}, _LIMIT),
    Case("not gzip.csv.gz", "csv", text("a,b\nsecret,1\n"), {}, "gzip", {}, _REFUSED),
    Case(
        "cut off.csv.gz",
        "csv",
        lambda: gzip.compress(b"a,b\nsecret,1\n" * 99, mtime=0)[:-9],
        {},
        "gzip",
        {},
        _REFUSED,
    ),
    Case("not zip.csv.zip", "csv", text("a,b\nsecret,1\n"), {}, "zip", {}, _REFUSED),
    Case("no file.csv.zip", "csv", lambda: _zip({}), {}, "zip", {}, _REFUSED),
    Case("two files.zip", "csv", lambda: _zip({"a": b"1", "b": b"2"}), {}, "zip", {}, _REFUSED),
    Case("only a folder.zip", "csv", lambda: _zip({"a/": b""}), {}, "zip", {}, _REFUSED),
    Case("link.zip", "csv", _link, {}, "zip", {}, _REFUSED),
    Case("encrypted.zip", "csv", _encrypted, {}, "zip", {}, _REFUSED),
    Case("understated.zip", "csv", _understated, {}, "zip", {}, _REFUSED),
    Case(
        "lzma.zip",
        "csv",
        lambda: _zip({"a": b"a\n1\n"}, zipfile.ZIP_LZMA),
        {},
        "zip",
        {},
        _REFUSED,
    ),
    Case("deep.json", "json", lambda: _deep(65), {}, None, {}, _LIMIT),
    Case("just not too deep.json", "json", lambda: _deep(64)),
    Case("very deep.json", "json", lambda: b"[" * _MIB, {}, None, {}, _LIMIT),
    Case("deep in text only.json", "json", lambda: b'[{"a": "' + b"[" * _MIB + b'"}]'),
    Case("deep.ndjson", "ndjson", lambda: b'{"a": ' * 99, {}, None, {}, _LIMIT),
    Case("deep.parquet", "parquet", _deep_type, {}, None, {}, _LIMIT),
    Case("rows over.parquet", "parquet", _zeros, {}, None, {"maxRows": 99_999}, _LIMIT),
    Case("bytes over.parquet", "parquet", _zeros, {}, None, {"maxBytes": 5000}, _LIMIT),
    Case("old workbook.xls", "excel", lambda: bytes.fromhex("d0cf11e0a1b11ae1"), refused=_REFUSED),
    Case("text.xlsx", "excel", text("a,b\nsecret,1\n"), refused=_REFUSED),
    Case("no workbook.xlsx", "excel", lambda: _zip({"a.txt": b"secret"}), refused=_REFUSED),
    Case("far cell.xlsx", "excel", _workbook_part(_SHEET, _far_cell), refused=_LIMIT),
    Case("many cells.xlsx", "excel", _workbook_part(_SHEET, _many_cells), refused=_LIMIT),
    Case(
        "cells without places.xlsx",
        "excel",
        _workbook_part(_SHEET, _cells_without_places),
        refused=_LIMIT,
    ),
    Case(
        "entities.xlsx",
        "excel",
        _workbook_part(_SHEET, lambda part: _ENTITIES + part),
        refused=_REFUSED,
    ),
    Case(
        "bomb.xlsx",
        "excel",
        _workbook_part(_SHEET, lambda part: part + b" " * (20 * _MIB)),
        refused=_REFUSED,
    ),
    Case(
        "no such option.csv", "csv", text("a\n1\n"), {"engine": "c"}, refused="OptionRefusedError"
    ),
    Case("wrong option.csv", "csv", text("a\n1\n"), {"nrows": "2"}, refused="OptionRefusedError"),
)
