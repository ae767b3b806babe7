"""Writes a result as the JSON that the caller gets, within the limits of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay_runner.worker.query.cells import cell_text, dumps, encodable
from assay_runner.worker.query.outputs import MAX_ROWS as MAX_KEPT_ROWS
from assay_runner.worker.query.table import Column, Table

MAX_ROWS = 1000
MAX_ROWS_BYTES = 192 * 1024
MAX_SUMMARY_COLUMNS = 256
_MAX_COLUMNS_BYTES = 96 * 1024
# Of columns and rows together.
_MAX_TABLE_BYTES = 212 * 1024
_MAX_SUMMARY_BYTES = 36 * 1024
_MAX_NAME_CHARACTERS = 256
_MAX_SUMMARY_CELL_BYTES = 128
_MAX_WARNINGS = 10
_MAX_WARNED_COLUMNS = 10
# How many cells are held at once while rows are written.
_BLOCK_CELLS = 10_000


def value_text(
    table: Table, *, engine_ms: int, rows_scanned: int | None, summary: bool = True
) -> str:
    """Return a value as JSON.

    Args:
        table: the result.
        engine_ms: how long the code has taken.
        rows_scanned: how many rows the datasets have that it used; None if that is not known.
        summary: whether to add statistics of the columns.
    """
    warnings = list(table.warnings)
    if table.total_rows > MAX_KEPT_ROWS:
        warnings.append(
            f"The result has {table.total_rows:,} rows; only the first {MAX_KEPT_ROWS:,} are kept:"
            " aggregate, or write all rows to artifacts/rows.parquet, with to_parquet (pandas),"
            " write_parquet or sink_parquet (Polars)"
        )
    described = list(_within(map(_described, table.columns), _MAX_COLUMNS_BYTES))
    columns = table.columns[: len(described)]
    if len(columns) < len(table.columns):
        warnings.append(
            f"The result has {len(table.columns):,} columns; only the first {len(columns):,}"
            " are shown: select fewer"
        )
    header = _array(described)
    room = min(MAX_ROWS_BYTES, _MAX_TABLE_BYTES - len(header.encode()))
    rows, cut = _rows(columns, table.total_rows, room)
    if cut:
        more = ", …" if len(cut) > _MAX_WARNED_COLUMNS else ""
        names = ", ".join(cut[:_MAX_WARNED_COLUMNS])
        warnings.append(f"Long values were shortened in: {names}{more}")
    members = {
        "table": _object(
            {
                "columns": header,
                "rows": _array(rows),
                "totalRows": dumps(table.total_rows),
                "truncated": dumps(len(rows) < table.total_rows),
            }
        ),
        "engine": dumps(table.engine),
        "engineMs": dumps(engine_ms),
        "rowsScanned": dumps(rows_scanned),
        "aggregation": dumps(table.aggregation),
        # Python code may return something else the next time.
        "cacheable": "false",
        "warnings": dumps(warnings[:_MAX_WARNINGS]),
    }
    if summary and table.total_rows > 1 and len(table.columns) <= MAX_SUMMARY_COLUMNS:
        members["summary"] = _array(_within(map(_summary, columns), _MAX_SUMMARY_BYTES))
    return _object(members)


def with_members(value: str, members: Mapping[str, object]) -> str:
    """Return a value with further members, such as a chart."""
    return value[:-1] + "".join(f",{dumps(name)}:{dumps(members[name])}" for name in members) + "}"


def _rows(columns: Sequence[Column], total: int, room: int) -> tuple[list[str], list[str]]:
    """Return the first rows as JSON, and the names of columns with values that were shortened."""
    rows: list[str] = []
    cut: dict[str, None] = {}
    count = min(total, MAX_ROWS)
    step = max(1, _BLOCK_CELLS // max(1, len(columns)))
    for start in range(0, count, step):
        end = min(start + step, count)
        cells = [_cells(column, start, end) for column in columns]
        for number in range(end - start):
            row = _array(column[number][0] for column in cells)
            room -= len(row.encode()) + 1
            if room < 0:
                return rows, list(cut)
            rows.append(row)
            for column, texts in zip(columns, cells, strict=True):
                if texts[number][1]:
                    cut[_shown(column.name)[:64]] = None
    return rows, list(cut)


def _cells(column: Column, start: int, end: int) -> list[tuple[str, bool]]:
    return [cell_text(value, has_nan=column.has_nan) for value in column.values(start, end)]


def _described(column: Column) -> str:
    return dumps({"name": _shown(column.name), "type": column.type[:_MAX_NAME_CHARACTERS]})


def _summary(column: Column) -> str:
    found = column.statistics()
    members = {"name": dumps(_shown(column.name)), "type": dumps(column.type[:64])}
    if found is not None:
        members["nulls"] = dumps(found.nulls)
        members["distinct"] = dumps(found.distinct)
        if found.is_estimate:
            members["distinctApprox"] = "true"
        for name in ("minimum", "maximum", "mean"):
            text, _ = cell_text(
                getattr(found, name), _MAX_SUMMARY_CELL_BYTES, has_nan=column.has_nan
            )
            members[name[:3] if name != "mean" else name] = text
    return _object(members)


def _within(texts: Iterator[str], limit: int) -> Iterator[str]:
    for text in texts:
        limit -= len(text.encode()) + 1
        if limit < 0:
            return
        yield text


def _shown(name: str) -> str:
    return encodable(name[:_MAX_NAME_CHARACTERS])


def _array(texts: Iterator[str] | Sequence[str]) -> str:
    return f"[{','.join(texts)}]"


def _object(members: dict[str, str]) -> str:
    return "{" + ",".join(f"{dumps(name)}:{text}" for name, text in members.items()) + "}"
