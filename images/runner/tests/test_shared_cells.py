"""Cells and statistics of all engines of Python, by the table of the JVM worker."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay_runner.worker.query.results import as_table
from assay_runner.worker.query.value import value_text

CASES = json.loads((Path(__file__).parents[2] / "protocol" / "cells.json").read_text())
NAMES = {"dt": dt, "np": np, "pd": pd, "pl": pl, "uuid": uuid, "Decimal": Decimal}
ENGINES = [
    pytest.param(case, engine, id=f"{case['name']} of {engine}")
    for case in CASES
    for engine in ("duckdb", "pandas", "polars")
    if engine == "duckdb" or engine in case
]


def result(case: dict[str, Any], engine: str) -> Any:
    if engine == "duckdb":
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        return connection.sql(case["sql"])
    return eval(case[engine], NAMES)


@pytest.mark.parametrize(("case", "engine"), ENGINES)
def test_cells_are_those_of_the_table(case: dict[str, Any], engine: str) -> None:
    text = value_text(as_table(result(case, engine), 0), engine_ms=0, rows_scanned=None)
    value = json.loads(text)
    assert [row[-1] for row in value["table"]["rows"]] == case["cells"]
    if "statistics" in case:
        summary = value["summary"][-1]
        assert {name: summary.get(name) for name in case["statistics"]} == case["statistics"]
