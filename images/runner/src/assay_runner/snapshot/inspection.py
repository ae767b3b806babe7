"""Inspects a source before pandas reads it: readers do not limit what a small file can declare.

Malformed sources are accepted here, since pandas reports them.
"""

from __future__ import annotations

import re
import zipfile
from typing import IO, Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from assay_runner.options import Options
from assay_runner.snapshot.compression import check_directory
from assay_runner.snapshot.limits import LimitExceededError, Limits, check_cells
from assay_runner.snapshot.nesting import depth
from assay_runner.snapshot.reading.encoding import encoding_of
from assay_runner.snapshot.source import SourceRefusedError

_CHUNK_BYTES = 1024 * 1024
_MAX_ROW_GROUPS = 100_000
_WORKBOOK = "xl/workbook.xml"
_NO_WORKBOOK = (
    "The source is not an .xlsx workbook. Other kinds, such as .xls, are not supported: save it as"
    " .xlsx."
)
_SAVE_AGAIN = " Open it in a spreadsheet program, and save it again."
_MAX_WORKBOOK_PARTS = 10_000
_MAX_PART_RATIO = 250
_RATIO_FREE_BYTES = 16 * 1024 * 1024
_ROW_OR_CELL = re.compile(rb"<(?:\w+:)?(row|c)(?=[\s/>])([^<>]*)>")
_OPEN_ROW_OR_CELL = re.compile(rb"<(?:\w+:)?(?:row|c)[\s/]")
_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Z]{0,3})([0-9]{1,9})["']""")
_MAX_TAG_BYTES = 4096
_ENCODING = re.compile(rb"""<\?xml[^<>]{0,200}?encoding\s*=\s*["']([^"'<>]*)["']""")
# In which tags are the bytes of ASCII; expat knows others, in which they could not be found.
_ENCODINGS = (b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
# With these options, the first line does not determine the number of columns.
_HEADER_OPTIONS = {"header", "names", "skiprows", "comment", "encoding", "usecols"}


def inspect(path: str, source_format: str, options: Options, limits: Limits) -> None:
    """Check that reading the source stays within the limits, as far as can be known in advance.

    Args:
        path: path of the decompressed source.
        source_format: its format.
        options: the options for pandas.
        limits: limits of the source.

    Raises:
        SourceRefusedError: if it is over a limit, or not a file of the format.
    """
    if source_format in ("csv", "tsv"):
        _inspect_delimited(path, source_format, options, limits)
    elif source_format in ("json", "ndjson"):
        with open(path, "rb") as file:
            limits.check_nesting(depth(file, encoding_of(path, options.get("encoding"))))
    elif source_format == "parquet":
        _inspect_parquet(path, options, limits)
    elif source_format == "feather":
        _inspect_feather(path, options, limits)
    elif source_format == "excel":
        _inspect_workbook(path, limits)


def _inspect_delimited(path: str, source_format: str, options: Options, limits: Limits) -> None:
    default = "\t" if source_format == "tsv" else ","
    separator = options.get("sep", options.get("delimiter", default)).encode()
    if len(separator) != 1 or _HEADER_OPTIONS & options.keys():
        return
    separators = 0
    with open(path, "rb") as file:
        while chunk := file.readline(_CHUNK_BYTES):
            if b'"' in chunk:
                return  # Separators may be quoted.
            separators += chunk.count(separator)
            if chunk.endswith(b"\n"):
                break
    if separators:
        limits.check_columns(separators + 1)


def _inspect_parquet(path: str, options: Options, limits: Limits) -> None:
    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            metadata, schema = file.metadata, file.schema_arrow
    except (pa.ArrowException, OSError):
        return
    if metadata.num_row_groups > _MAX_ROW_GROUPS:
        raise LimitExceededError(
            f"The Parquet file has {metadata.num_row_groups} row groups; at most {_MAX_ROW_GROUPS}"
            " are read."
        )
    sizes = [metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)]
    if min(sizes, default=0) < 0 or metadata.num_rows < 0:
        raise SourceRefusedError("The Parquet file claims a negative size.")
    limits.check_rows(metadata.num_rows)
    limits.check_bytes(sum(sizes))
    _inspect_schema(schema, options, limits)


def _inspect_feather(path: str, options: Options, limits: Limits) -> None:
    with pa.memory_map(path) as file:
        try:
            reader = pa.ipc.open_file(file)
        except (pa.ArrowException, OSError):
            return  # Not Feather, or its first version, which has no nested types.
        _inspect_schema(reader.schema, options, limits)
        rows = 0
        for number in range(reader.num_record_batches):
            try:
                batch = reader.get_batch(number)
                # Arrow trusts the lengths in the file, and would read beyond its end.
                batch.validate(full=True)
            except (pa.ArrowException, OSError):
                raise SourceRefusedError("The Feather file is damaged.") from None
            rows += batch.num_rows
            limits.check_rows(rows)


def _inspect_schema(schema: pa.Schema, options: Options, limits: Limits) -> None:
    limits.check_columns(len(options.get("columns", schema.names)))
    limits.check_nesting(max((_type_depth(field.type) for field in schema), default=0))


def _type_depth(data_type: Any) -> int:  # noqa: ANN401 - pyarrow has no types
    """Return how many levels a type has; not recursive, since it may have very many."""
    deepest = 0
    pending = [(data_type, 1)]
    while pending:
        current, level = pending.pop()
        deepest = max(deepest, level)
        pending += [(current.field(i).type, level + 1) for i in range(current.num_fields)]
    return deepest


def _inspect_workbook(path: str, limits: Limits) -> None:
    with open(path, "rb") as file:
        check_directory(file)
    if not zipfile.is_zipfile(path):
        raise SourceRefusedError(_NO_WORKBOOK)
    try:
        with zipfile.ZipFile(path) as archive:
            _inspect_parts(archive, limits)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise SourceRefusedError("The workbook is damaged or encrypted.") from None


def _inspect_parts(archive: zipfile.ZipFile, limits: Limits) -> None:
    parts = archive.infolist()
    if _WORKBOOK not in {part.filename.replace("\\", "/").lower() for part in parts}:
        raise SourceRefusedError(_NO_WORKBOOK)
    if len(parts) > _MAX_WORKBOOK_PARTS:
        raise LimitExceededError(
            f"The workbook has {len(parts)} parts; at most {_MAX_WORKBOOK_PARTS} are read."
        )
    # Reading a part never returns more bytes than its declared size.
    limits.check_bytes(sum(part.file_size for part in parts))
    for part in parts:
        if part.file_size > max(_RATIO_FREE_BYTES, _MAX_PART_RATIO * part.compress_size):
            raise SourceRefusedError(
                f"A part of the workbook expands to more than {_MAX_PART_RATIO} times its size,"
                " as only compression bombs do."
            )
        with archive.open(part) as stream:
            _inspect_part(stream, limits)


def _inspect_part(stream: IO[bytes], limits: Limits) -> None:
    extent = _Extent()
    rest = b""
    is_first = True
    while chunk := stream.read(_CHUNK_BYTES):
        data = rest + chunk
        if is_first:
            _check_encoding(data)
            is_first = False
        if _DECLARATION.search(data):
            raise SourceRefusedError("A part of the workbook declares entities, which none needs.")
        last = data.rfind(b"<")
        cut = last if len(data) - last < _MAX_TAG_BYTES else len(data)
        if cut > last >= 0 and b">" not in data[last:] and _OPEN_ROW_OR_CELL.match(data, last):
            raise SourceRefusedError(
                f"A tag of the workbook is longer than {_MAX_TAG_BYTES} bytes.{_SAVE_AGAIN}"
            )
        extent.add(data[:cut])
        rest = data[cut:]
        limits.check_rows(extent.rows)
        limits.check_columns(extent.columns)
        check_cells(extent.rows, extent.columns)


def _check_encoding(begin: bytes) -> None:
    declared = _ENCODING.search(begin, 0, 1024)
    is_other = declared is not None and declared[1].lower() not in _ENCODINGS
    if is_other or begin.startswith(_WIDE_MARKS):
        raise SourceRefusedError(f"A part of the workbook is not in UTF-8.{_SAVE_AGAIN}")


class _Extent:
    """The extent of a sheet's cells: readers fill all cells before the last."""

    def __init__(self) -> None:
        self.rows = self.columns = 0
        self._row = self._column = 0

    def add(self, data: bytes) -> None:
        """Add complete tags; a row or cell without a position follows the previous one."""
        for tag, attributes in _ROW_OR_CELL.findall(data):
            if b"&" in attributes:
                raise SourceRefusedError(
                    "A row or a cell of the workbook has references in its attributes."
                    + _SAVE_AGAIN
                )
            place = _PLACE.search(attributes)
            if tag == b"row":
                self._row = int(place[2]) if place else self._row + 1
                self._column = 0
            else:
                self._column = _column_number(place[1]) if place else self._column + 1
                self._row = int(place[2]) if place else self._row
            self.rows = max(self.rows, self._row)
            self.columns = max(self.columns, self._column)


def _column_number(name: bytes) -> int:
    number = 0
    for letter in name:
        number = number * 26 + letter - ord("A") + 1
    return number
