"""Results of Arrow and DuckDB as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay_runner.worker.query.cells import single
from assay_runner.worker.query.pandas_tables import series_statistics
from assay_runner.worker.query.table import Column, Statistics, Table

# Types of DuckDB that Arrow does not have, or has with less of their values.
_AS_TEXT = ("BIT", "BIGNUM", "INTERVAL", "TIME WITH TIME ZONE", "TIME_NS", "UHUGEINT", "VARIANT")


def arrow_table(table: Any) -> Table:  # noqa: ANN401 - pyarrow has no types
    """Return a table or a record batch of Arrow."""
    columns = zip(table.schema.names, table.columns, strict=True)
    return Table([arrow_column(name, values) for name, values in columns], table.num_rows)


def arrow_column(
    name: str,
    values: Any,  # noqa: ANN401 - pyarrow has no types
    kind: str | None = None,
) -> Column:
    """Return an array of Arrow; `kind` is its type where the library of the value has another."""
    return Column(
        name,
        str(values.type) if kind is None else kind,
        lambda start, end: _cells(values.slice(start, end - start)),
        lambda: _statistics(values),
        lambda start, end: values.slice(start, end - start),
        has_nan=True,
    )


def relation_table(relation: Any) -> Table:  # noqa: ANN401 - duckdb has no types
    """Return the rows of a relation of DuckDB. In pandas, sums of integers would be doubles."""
    kinds = [str(kind) for kind in relation.types]
    if not set(kinds).isdisjoint(_AS_TEXT):
        relation = relation.project(
            ", ".join(
                f"CAST(#{position} AS VARCHAR) AS {_quoted(name)}"
                if kind in _AS_TEXT
                # A position without a name would be called by its number.
                else f"#{position} AS {_quoted(name)}"
                for position, (name, kind) in enumerate(
                    zip(relation.columns, kinds, strict=True), start=1
                )
            )
        )
    table = relation.to_arrow_table()
    named = zip(table.schema.names, table.columns, kinds, strict=True)
    columns = [arrow_column(name, _numbers(values, kind), kind) for name, values, kind in named]
    return Table(columns, table.num_rows, engine="duckdb")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _numbers(values: Any, kind: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    # They may have 39 digits, of which Arrow has been told 38.
    return values.cast(pa.decimal256(39, 0)) if kind in ("HUGEINT", "UHUGEINT") else values


def _cells(values: Any) -> Sequence[Any]:  # noqa: ANN401 - pyarrow has no types
    kind = values.type
    if pa.types.is_float32(kind):
        return single(values.to_pylist())
    if not pa.types.is_nested(kind):
        return values.to_pylist()  # type: ignore[no-any-return]
    try:
        # An object for each map, as in SQL; as pairs where a key occurs twice or is a list.
        found = values.to_pylist(maps_as_pydicts="strict")
    except (KeyError, TypeError):
        found = values.to_pylist()
    return [_nested(value, kind) for value in found]


def _nested(value: Any, kind: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a value of a nested type with the numbers of float32 as such."""
    if value is None or "float" not in str(kind):
        return value
    if pa.types.is_float32(kind):
        return single([value])[0]
    if pa.types.is_struct(kind):
        return {field.name: _nested(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        return _nested_map(value, kind.item_type)
    if isinstance(value, list) and hasattr(kind, "value_type"):
        return [_nested(item, kind.value_type) for item in value]
    return value


def _nested_map(value: Any, kind: Any) -> Any:  # noqa: ANN401 - of any type
    if isinstance(value, dict):
        return {key: _nested(item, kind) for key, item in value.items()}
    return [(key, _nested(item, kind)) for key, item in value]


def _statistics(values: Any) -> Statistics:  # noqa: ANN401 - pyarrow has no types
    kind = values.type
    if pa.types.is_nested(kind):
        return Statistics(values.null_count, None, None, None, None)
    found = series_statistics(values.to_pandas())._replace(nulls=values.null_count)
    if pa.types.is_decimal(kind) and values.null_count < len(values):
        return found._replace(mean=pc.mean(values.cast(pa.float64())).as_py())
    if not pa.types.is_floating(kind) or not pc.any(pc.is_nan(values)).as_py():
        return found
    # As in SQL, where NaN is a value, and the greatest one.
    distinct = None if found.distinct is None else found.distinct + 1
    lowest = math.nan if found.distinct == 0 else found.minimum
    return found._replace(distinct=distinct, minimum=lowest, maximum=math.nan)
