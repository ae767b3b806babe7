"""Reads JSON, JSON lines and inline records into memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from assay_runner.options import Options
from assay_runner.snapshot.error_redaction import redact
from assay_runner.snapshot.limits import Limits
from assay_runner.snapshot.reader_error import ReaderError
from assay_runner.snapshot.reading.columns import ReadColumn, ReadTable
from assay_runner.snapshot.reading.encoding import encoding_of
from assay_runner.snapshot.reading.notes import Code, Note
from assay_runner.snapshot.reading.records.batches import Batch, Records, of_one_kind
from assay_runner.snapshot.reading.records.blocks import without_collector
from assay_runner.snapshot.reading.records.layout import Opened, open_records
from assay_runner.snapshot.reading.records.orients import Label
from assay_runner.snapshot.reading.seen import Seen
from assay_runner.snapshot.reading.typed.dates import is_date, with_dates
from assay_runner.snapshot.reading.typed.dtypes import TEXTS, cast_column, dtypes_of
from assay_runner.snapshot.reading.typed.evidence import Evidence, Kind
from assay_runner.snapshot.reading.typed.gathering import gather
from assay_runner.snapshot.reading.typed.notes import notes_of
from assay_runner.snapshot.reading.typed.plans import TEXT, Plan, decide
from assay_runner.snapshot.reading.typed.values import Converted, convert


@dataclass
class _Column:
    """A column while it is read: its evidence, and its values so far as they may turn out."""

    evidence: Evidence = field(default_factory=Evidence)
    chunks: list[Any] = field(default_factory=list)
    escaped: Seen = field(default_factory=Seen)


def read_records(path: str, source_format: str, options: Options, limits: Limits) -> ReadTable:
    """Return the table of a source.

    Args:
        path: the source, decompressed.
        source_format: `json` or `ndjson`.
        options: its options, which have been checked.
        limits: limits of the source.

    Raises:
        ReaderError: if it is malformed, without its content.
        LimitExceededError: if it has too many rows or columns.
    """
    try:
        with without_collector():
            return _read(open_records(path, source_format, options), options, limits)
    except (UnicodeError, MemoryError) as error:
        raise unreadable(error, path, source_format, options) from None


def unreadable(error: Exception, path: str, source_format: str, options: Options) -> ReaderError:
    """Return the error to report for a source that cannot be decoded or held in memory."""
    encoding = encoding_of(path, options.get("encoding"))
    return redact(error, path, source_format, {**options, "encoding": encoding})


def repeated_notes(repeated: Seen) -> tuple[Note, ...]:
    """Return the note on objects that have a member twice."""
    if not repeated:
        return ()
    first = repeated.rows[0] if repeated.rows else None
    message = "has objects with several members of the same name: the last one of each was read"
    return (Note(Code.READER_WARNING, message, repeated.count, first),)


def add_evidence(
    known: dict[Any, Evidence], batch: Batch, columns: Mapping[Any, Sequence[Any]], limits: Limits
) -> tuple[dict[Any, Evidence], Seen]:
    """Add what the values of a batch are to what is known of each column.

    Returns:
        The evidence of the batch by column, and its rows with repeated members.
    """
    found = {name: gather(values, batch.first_row) for name, values in columns.items()}
    for name, evidence in found.items():
        known[name] = known[name] + evidence if name in known else evidence
    limits.check_columns(len(known))
    limits.check_rows(batch.first_row - 1 + len(batch.rows))
    keys = sum(each.keys for each in found.values())
    keys += sum(map(len, batch.rows)) if _is_objects(batch) else 0
    return found, batch.repeated_members(keys)


def convert_records(
    records: Records, plans: Mapping[Any, Plan], limits: Limits
) -> Iterator[dict[Any, Converted]]:
    """Read a source again, and return the columns of each batch that have a plan."""
    for batch, exact in _pairs(records, {plan.exact for plan in plans.values()}):
        values = batch.columns(limits)
        characters = values if exact is batch else exact.columns(limits)
        found = {}
        for name, plan in plans.items():
            of_batch = (characters if plan.exact else values).get(name)
            if of_batch is None:
                found[name] = Converted(pa.nulls(len(batch.rows), plan.type))
            else:
                found[name] = convert(plan, of_batch, batch.first_row)
        yield found


def _pairs(records: Records, wanted: set[bool]) -> Iterator[tuple[Batch, Batch]]:
    """Return each batch twice: the second has the characters of numbers if any column wants it."""
    if len(wanted) == 1:
        yield from ((batch, batch) for batch in records.batches(exact=True in wanted))
    else:
        yield from zip(records.batches(exact=False), records.batches(exact=True), strict=True)


def _is_objects(batch: Batch) -> bool:
    return isinstance(batch.rows, list) and isinstance(batch.rows[0], dict)


def _read(opened: Opened, options: Options, limits: Limits) -> ReadTable:
    dtypes = dtypes_of(options)
    columns: dict[Any, _Column] = {}
    rows, repeated = 0, Seen()
    known: dict[Any, Evidence] = {}
    for batch in of_one_kind(opened.records.batches(exact=False)):
        values = batch.columns(limits)
        found, repeats = add_evidence(known, batch, values, limits)
        for name in found.keys() - columns.keys():
            columns[name] = _Column(chunks=[pa.nulls(rows)] if rows else [])
        for name, column in columns.items():
            _add(column, found.get(name), values.get(name), batch)
        rows, repeated = rows + len(batch.rows), repeated + repeats
    plans = {name: decide(known[name], dtypes.get(name) in TEXTS) for name in known}
    for name in known:
        columns[name].evidence = known[name]
    _finish(opened.records, {name: columns[name] for name in known}, plans, limits)
    shown = _objects(opened.records, known, limits)
    read = [_read_column(name, columns[name], plans[name], shown.get(name)) for name in known]
    read = [_as_asked(column, options, opened.dates) for column in read]
    index = tuple(place for place, name in enumerate(known) if isinstance(name, Label))
    return ReadTable(tuple(read), rows, index, opened.notes + repeated_notes(repeated))


def _add(
    column: _Column, evidence: Evidence | None, values: Sequence[Any] | None, batch: Batch
) -> None:
    """Add the values of a batch as they would be stored by the evidence of the batch alone."""
    if evidence is None or values is None or not evidence.kinds:
        column.chunks.append(pa.nulls(len(batch.rows)))
        return
    plan = decide(evidence)
    if plan.as_text:
        column.chunks.append(None)
        return
    array, escaped = convert(plan, values, batch.first_row)
    column.chunks.append(array)
    column.escaped += escaped


def _finish(
    records: Records, columns: Mapping[Any, _Column], plans: Mapping[Any, Plan], limits: Limits
) -> None:
    """Convert all chunks to the plans of their columns, reading again what the batches lost."""
    again = {}
    for name, column in columns.items():
        chunks = [_fitted(chunk, plans[name]) for chunk in column.chunks]
        if any(chunk is None for chunk in chunks):
            again[name] = plans[name]
            column.chunks, column.escaped = [], Seen()
        else:
            column.chunks = chunks
    if not again:
        return
    for converted in convert_records(records, again, limits):
        for name, (array, escaped) in converted.items():
            columns[name].chunks.append(array)
            columns[name].escaped += escaped


def _fitted(chunk: Any, plan: Plan) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a chunk as the type of its column; None if its values must be read again."""
    if chunk is None or chunk.type == plan.type:
        return chunk
    if pa.types.is_null(chunk.type):
        return pa.nulls(len(chunk), plan.type)
    if pa.types.is_integer(chunk.type) and plan.type in (pa.uint64(), pa.float64()):
        # Which holds all of them.
        return chunk.cast(plan.type, safe=False)
    if pa.types.is_boolean(chunk.type) and plan.type == TEXT:
        return chunk.cast(TEXT)
    return None


def _objects(
    records: Records, known: Mapping[Any, Evidence], limits: Limits
) -> dict[Any, list[Any]]:
    """Return the JSON of columns of lists and objects, which `df` has as such."""
    nested = {Kind.LIST, Kind.OBJECT}
    plans = {
        name: Plan(TEXT) for name, seen in known.items() if seen.kinds and set(seen.kinds) <= nested
    }
    found: dict[Any, list[Any]] = {name: [] for name in plans}
    for converted in convert_records(records, plans, limits) if plans else ():
        for name, (array, _) in converted.items():
            found[name].append(array)
    return found


def _encodable(name: Any) -> Any:  # noqa: ANN401
    """Return a name with halves of surrogate pairs as escapes, as values have them."""
    return name.encode("utf-8", "backslashreplace").decode() if isinstance(name, str) else name


def _read_column(name: Any, column: _Column, plan: Plan, shown: list[Any] | None) -> ReadColumn:  # noqa: ANN401
    return ReadColumn(
        name.name if isinstance(name, Label) else _encodable(name),
        pa.chunked_array(column.chunks, plan.type),
        as_text=plan.as_text or bool(column.escaped),
        notes=notes_of(column.evidence, plan, column.escaped),
        shown=None if shown is None else pa.chunked_array(shown, TEXT),
        is_nested=shown is not None,
    )


def _as_asked(column: ReadColumn, options: Options, dates: Sequence[str]) -> ReadColumn:
    """Return a column as `convert_dates` or `dtype` ask for it; the first comes before."""
    if is_date(column.name, options, dates):
        is_named = isinstance(options.get("convert_dates"), list)
        return with_dates(column, is_named or column.name in dates)
    dtype = dtypes_of(options).get(str(column.name))
    return column if dtype is None else cast_column(column, dtype)
