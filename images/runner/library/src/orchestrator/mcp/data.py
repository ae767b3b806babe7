"""Reads tables, and checks their columns."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict

import pandas as pd

from orchestrator.mcp._optional import require
from orchestrator.mcp._plain import chosen

__all__ = ["load_csv", "load_sql", "validate_schema"]

_TABLES = Path(".work") / "tables.json"
_SQLITE = "sqlite:///"
# Integers up to it are the same number as a double.
_EXACT = 2**53
# What a type may be called, besides its own name.
_FAMILIES = {
    "int": pd.api.types.is_integer_dtype,
    "integer": pd.api.types.is_integer_dtype,
    "float": pd.api.types.is_float_dtype,
    "bool": pd.api.types.is_bool_dtype,
    "boolean": pd.api.types.is_bool_dtype,
    "str": pd.api.types.is_string_dtype,
    "string": pd.api.types.is_string_dtype,
    "object": pd.api.types.is_string_dtype,
    "datetime": pd.api.types.is_datetime64_any_dtype,
    "datetime64": pd.api.types.is_datetime64_any_dtype,
}


class TypeMismatch(TypedDict):
    """The type that a column was to have, and the one that it has."""

    expected: str
    actual: str


class SchemaReport(TypedDict):
    """What `validate_schema` has found."""

    valid: bool
    missing_columns: list[str]
    extra_columns: list[str]
    type_mismatches: dict[str, TypeMismatch]
    row_count: int


def load_csv(
    path: str | os.PathLike[str],
    *,
    dtype: Any = None,  # noqa: ANN401 - as pandas has it
) -> pd.DataFrame:
    r"""Read a CSV file.

    Args:
        path: of the file. The datasets of a run are below `data/raw`.
        dtype: the type of all columns, or types by column, as `pandas.read_csv` has it.

    Raises:
        FileNotFoundError: if there is no such file; the message names it.
        ValueError: if the file is empty, or a value does not fit its type.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("sales.csv").write_text("region,amount\nnorth,10\nsouth,20\n")
        >>> load_csv("sales.csv", dtype={"amount": "float64"})["amount"].sum()
        np.float64(30.0)
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"no such file: {os.fspath(path)!r}")
    try:
        return pd.read_csv(path, dtype=dtype)
    except pd.errors.EmptyDataError:
        raise ValueError(f"the file is empty: {os.fspath(path)!r}") from None


def load_sql(
    query: str, connection_string: str | None = None, *, env_var: str = "DATABASE_URL"
) -> pd.DataFrame:
    """Run a query, in DuckDB over the tables of the run, or in an SQLite file.

    Each dataset of the run is a table of its own name. Files of the working directory can be named
    in the query, such as `FROM 'data/processed/result.parquet'`. Numbers of DuckDB are exact: its
    integers beyond 64 bits are Python's, and a column of decimals that are no doubles has those of
    Python; dates are timestamps at midnight.

    Args:
        query: the SQL of one query.
        connection_string: `sqlite:///FILE` for a file of the working directory; None for DuckDB.
        env_var: variable of the environment that has the connection string where that is None.

    Raises:
        FileNotFoundError: if the SQLite file is missing.
        ValueError: for a connection string of a server: code has no network and no secrets.
        duckdb.Error: for a query that fails in DuckDB; `pandas.errors.DatabaseError` in SQLite.

    Example:
        >>> load_sql("SELECT sum(n) AS total FROM range(5) AS numbers(n)")["total"].tolist()
        [10]
    """
    target = connection_string or os.environ.get(env_var)
    if not target:
        return _in_duckdb(query)
    if target.startswith(_SQLITE):
        return _in_sqlite(query, target.removeprefix(_SQLITE))
    # The rest may have a password.
    scheme = target.partition(":")[0][:32]
    raise ValueError(
        f"load_sql cannot connect to {scheme!r}: code has no network and no secrets. Load the table"
        " as a dataset, and leave out the connection string to query it"
    )


def validate_schema(
    data: pd.DataFrame,
    expected_columns: Iterable[str],
    *,
    required_types: Mapping[str, str] | None = None,
    allow_extra_columns: bool = True,
) -> SchemaReport:
    """Compare the columns of a frame with those that it should have.

    Args:
        data: the frame.
        expected_columns: the columns that must be there.
        required_types: types by column: a name of pandas, such as `int64`, or one of the families
            `int`, `float`, `bool`, `str`, `datetime`, `category`. A column that is missing is not
            listed again.
        allow_extra_columns: whether there may be others.

    Returns:
        `valid`; `missing_columns` and `extra_columns`, sorted, the second empty where others are
        allowed; `type_mismatches` by column, with `expected` and `actual`; `row_count`.

    Raises:
        TypeError: if `data` is not a frame, or `expected_columns` is a text.
        ValueError: if two columns have one name.

    Example:
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"id": [1, 2], "name": ["a", "b"]})
        >>> validate_schema(frame, ["id", "price"], required_types={"name": "int"})
        {'valid': False, 'missing_columns': ['price'], 'extra_columns': [],
         'type_mismatches': {'name': {'expected': 'int', 'actual': 'str'}}, 'row_count': 2}
    """
    present = chosen(data, None)
    if isinstance(expected_columns, str):
        raise TypeError("expected_columns is a text: pass a list of names")
    expected = list(expected_columns)
    missing = sorted({str(name) for name in expected if name not in data.columns})
    extra: list[str] = []
    if not allow_extra_columns:
        extra = sorted(str(name) for name in present if name not in expected)
    mismatches: dict[str, TypeMismatch] = {}
    for name, wanted in (required_types or {}).items():
        if name in data.columns and not _is_of_type(data[name], str(wanted)):
            mismatches[str(name)] = {"expected": str(wanted), "actual": str(data[name].dtype)}
    return {
        "valid": not (missing or extra or mismatches),
        "missing_columns": missing,
        "extra_columns": extra,
        "type_mismatches": mismatches,
        "row_count": len(data),
    }


def _is_of_type(series: pd.Series[Any], wanted: str) -> bool:
    family = _FAMILIES.get(wanted)
    return str(series.dtype) == wanted or (family is not None and bool(family(series.dtype)))


def _in_duckdb(query: str) -> pd.DataFrame:
    duckdb: Any = require("duckdb", "duckdb", "load_sql")
    with duckdb.connect() as connection:
        for name, table in _tables().items():
            files = ", ".join(_quoted(file, "'") for file in table["files"])
            keys = ", ".join(
                f"{_quoted(key, chr(34))}: {kind}" for key, kind in table.get("keys", {}).items()
            )
            types = f", hive_types = {{{keys}}}" if keys else ""
            scan = f"read_parquet([{files}], hive_partitioning = {bool(table.get('hive'))}{types})"
            connection.execute(f"CREATE VIEW {_quoted(name, chr(34))} AS FROM {scan}")
        relation = connection.sql(query)
        if relation is None:
            raise ValueError("the query returns no rows: end it with a SELECT")
        return _exact_frame(relation.to_arrow_table())


def _exact_frame(table: Any) -> pd.DataFrame:  # noqa: ANN401 - pyarrow has no types
    """Return a table of DuckDB as a frame. Its own conversion makes sums of integers doubles."""
    frame: pd.DataFrame = table.to_pandas(date_as_object=False)
    for position, column in enumerate(table.columns):
        numbers = _exact_numbers(column)
        if numbers is not None:
            frame.isetitem(position, numbers.array)
    return frame


def _exact_numbers(column: Any) -> pd.Series[Any] | None:  # noqa: ANN401 - pyarrow has no types
    """Return numbers that pandas would round or have as objects; None for any other column."""
    kind = str(column.type)
    if kind.startswith("decimal"):
        return _exact_decimals(column)
    whole = kind in ("int64", "uint64") and column.null_count
    if whole and any(abs(value) > _EXACT for value in column.drop_null().to_pylist()):
        return pd.Series(column.to_pylist(), dtype="Int64" if kind == "int64" else "UInt64")
    return None


def _exact_decimals(column: Any) -> pd.Series[Any]:  # noqa: ANN401 - pyarrow has no types
    """Return decimals as integers or doubles if those are the same numbers, else as objects."""
    values = column.to_pylist()
    present = [value for value in values if value is not None]
    scale = column.type.scale
    if scale == 0:
        largest = max(map(abs, present), default=0)
        if len(present) == len(values) and largest < 2**63:
            return pd.Series([int(value) for value in present], dtype="int64")
        if largest > _EXACT:
            whole = [None if value is None else int(value) for value in values]
            return pd.Series(whole, dtype="Int64" if largest < 2**63 else "object")
    # A double has 15 digits of any decimal.
    if all(
        abs(value) <= _EXACT if scale == 0 else value.adjusted() + scale < 15 for value in present
    ):
        return pd.Series([None if value is None else float(value) for value in values], dtype=float)
    return pd.Series(values, dtype="object")


def _tables() -> dict[str, Any]:
    """Return the tables of the run by name, which its worker has listed."""
    try:
        tables: dict[str, Any] = json.loads(_TABLES.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return tables


def _quoted(text: str, mark: str) -> str:
    return mark + text.replace(mark, mark * 2) + mark


def _in_sqlite(query: str, file: str) -> pd.DataFrame:
    path = Path(file)
    if not path.is_file():
        raise FileNotFoundError(f"no such SQLite file: {file[:256]!r}")
    address = path.absolute().as_uri() + "?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
        return pd.read_sql_query(query, connection)
