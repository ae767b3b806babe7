"""Writes JSON lines of any size as Parquet, in bounded memory: the same table as `records` reads.

The source is read twice: all of it decides the types, and then it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay_runner.options import Options
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.reading.records.batches import Records, of_one_kind
from assay_runner.snapshot.reading.records.blocks import without_collector
from assay_runner.snapshot.reading.records.layout import open_records
from assay_runner.snapshot.reading.records.reader import (
    add_evidence,
    convert_records,
    repeated_notes,
    unreadable,
)
from assay_runner.snapshot.reading.seen import Seen
from assay_runner.snapshot.reading.typed.evidence import Evidence
from assay_runner.snapshot.reading.typed.notes import notes_of
from assay_runner.snapshot.reading.typed.plans import Plan, decide
from assay_runner.snapshot.table_names import table_names

# As DuckDB reads them; fewer rows where these are long, since a reader holds whole groups.
_GROUP_ROWS = 122_880
_GROUP_BYTES = 128 * 1024 * 1024
_WRITING = {"compression": "zstd", "compression_level": 1}


def write_records(path: str, options: Options, limits: Limits, target: str) -> ReadTable:
    """Write JSON lines as a Parquet file, and return its columns with their notes but no values.

    Args:
        path: the source, decompressed.
        options: its options, which have been checked; `dtype` and `convert_dates` need a frame.
        limits: limits of the source.
        target: the file to write; it is not written for a source without columns.

    Raises:
        ReaderError: if the source is malformed, without its content.
        LimitExceededError: if it has too many rows or columns.
        OSError: if the file cannot be written.
    """
    try:
        with without_collector():
            records, notes, _ = open_records(path, "ndjson", options)
            known: dict[Any, Evidence] = {}
            rows, repeated = 0, Seen()
            for batch in of_one_kind(records.batches(exact=False)):
                repeated += add_evidence(known, batch, batch.columns(limits), limits)[1]
                rows += len(batch.rows)
            plans = {name: decide(evidence) for name, evidence in known.items()}
            escaped = _write(records, plans, limits, target)
    except (UnicodeError, MemoryError) as error:
        raise unreadable(error, path, "ndjson", options) from None
    columns = tuple(
        ReadColumn(
            name,
            pa.chunked_array([], plan.type),
            as_text=plan.as_text or bool(escaped[name]),
            notes=notes_of(known[name], plan, escaped[name]),
        )
        for name, plan in plans.items()
    )
    return ReadTable(columns, rows, (), notes + repeated_notes(repeated))


def _write(
    records: Records, plans: Mapping[Any, Plan], limits: Limits, target: str
) -> dict[Any, Seen]:
    """Write all rows, and return the texts of each column that had to be escaped."""
    escaped = dict.fromkeys(plans, Seen())
    if not plans:
        return escaped
    names = table_names(plans)
    schema = pa.schema(
        [pa.field(name, plan.type) for name, plan in zip(names, plans.values(), strict=True)]
    )
    pending: list[Any] = []
    held = size = 0
    with pq.ParquetWriter(target, schema, **_WRITING) as writer:
        for converted in convert_records(records, plans, limits):
            for name, (_, found) in converted.items():
                escaped[name] += found
            arrays = [each.array for each in converted.values()]
            table = pa.record_batch(arrays, schema=schema)
            pending.append(table)
            held, size = held + table.num_rows, size + table.nbytes
            if held >= _GROUP_ROWS or size >= _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(pending, schema))
                pending, held, size = [], 0, 0
        if pending:
            writer.write_table(pa.Table.from_batches(pending, schema))
    return escaped
