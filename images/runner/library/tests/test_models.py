"""Measures against scikit-learn, and forecasts with a Prophet of the tests' own."""

from __future__ import annotations

import builtins
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from orchestrator.mcp.models import evaluate_model, train_prophet

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize("size", [2, 3, 1000])
def test_measures_of_a_regression_are_those_of_sklearn(size: int) -> None:
    true = RANDOM.normal(10, 5, size)
    predicted = true + RANDOM.normal(size=size)
    assert evaluate_model(true, predicted) == pytest.approx(
        {
            "mae": metrics.mean_absolute_error(true, predicted),
            "rmse": metrics.root_mean_squared_error(true, predicted),
            "r2": metrics.r2_score(true, predicted),
            "mape": metrics.mean_absolute_percentage_error(true, predicted) * 100,
        }
    )


def test_zeros_are_left_out_of_the_mean_percentage() -> None:
    assert evaluate_model([0, 2, 4], [1, 3, 4])["mape"] == 25.0
    assert evaluate_model([0, 0], [1, 1])["mape"] is None


@pytest.mark.parametrize("predicted", [[2.0, 2.0], [1.0, 3.0]])
def test_r2_of_a_constant_is_that_of_sklearn(predicted: list[float]) -> None:
    assert evaluate_model([2, 2], predicted)["r2"] == metrics.r2_score([2, 2], predicted)


def test_r2_of_one_value_is_none() -> None:
    assert evaluate_model([2], [3])["r2"] is None


@pytest.mark.parametrize(
    ("labels", "average", "positive"),
    [
        ([0, 1], "binary", 1),
        (["no", "yes"], "binary", "yes"),
        ([-1, 7], "binary", 7),
        ([True, False], "binary", True),
        ([0, 1, 2], "macro", 1),
        (["a", "b", "c", "d"], "macro", 1),
    ],
)
def test_measures_of_a_classification_are_those_of_sklearn(
    labels: list[Any], average: str, positive: Any
) -> None:
    true, predicted = (RANDOM.choice(np.array(labels), 200) for _ in range(2))
    options: Any = {"average": average, "pos_label": positive, "zero_division": 0}
    assert evaluate_model(true, predicted, task_type="classification") == pytest.approx(
        {
            "accuracy": metrics.accuracy_score(true, predicted),
            "precision": metrics.precision_score(true, predicted, **options),
            "recall": metrics.recall_score(true, predicted, **options),
            "f1": metrics.f1_score(true, predicted, **options),
        }
    )


def test_only_the_labels_that_were_named_count() -> None:
    true, predicted = (RANDOM.integers(0, 5, 300) for _ in range(2))
    found = evaluate_model(true, predicted, task_type="classification", labels=[0, 1, 2])
    options: Any = {"average": "macro", "labels": [0, 1, 2]}
    assert found["f1"] == pytest.approx(metrics.f1_score(true, predicted, **options))


def test_a_label_that_was_never_predicted_has_zero() -> None:
    found = evaluate_model([1, 1], [0, 0], task_type="classification")
    assert found == {"accuracy": 0.0, "precision": 0.0, "recall": 0.0, "f1": 0.0}


@pytest.mark.parametrize(
    ("true", "predicted", "options", "message"),
    [
        ([1, 2], [1], {}, "y_true has 2 values, y_pred 1"),
        ([], [], {}, "are empty"),
        ([1], [1], {"task_type": "ranking"}, "regression or classification, not 'ranking'"),
        ([1, None], [1, 2], {}, "y_true has 1 missing values"),
        ([1, 2], [1, np.nan], {}, "y_pred has 1 missing values"),
        ([1, np.inf], [1, 2], {}, "y_true has infinite values"),
        (["a"], ["b"], {}, "y_true has values that are not numbers"),
        ([[1]], [[1]], {}, "y_true has 2 dimensions"),
        (1, 2, {}, "y_true has 0 dimensions"),
        (["a", None], ["a", "b"], {"task_type": "classification"}, "missing values"),
        ([1, 2], ["a", "b"], {"task_type": "classification"}, "labels are of several types"),
        ([1], [1], {"task_type": "classification", "labels": []}, "labels is empty"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    true: Any, predicted: Any, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate_model(true, predicted, **options)


def test_numbers_without_bounds_give_json() -> None:
    json.dumps(evaluate_model([1e308, -1e308], [-1e308, 1e308]), allow_nan=False)


def test_the_index_of_a_series_does_not_matter() -> None:
    true, predicted = pd.Series([1, 0], index=[5, 6]), pd.Series([1, 0], index=[6, 5])
    assert evaluate_model(true, predicted, task_type="classification")["accuracy"] == 1.0


def test_without_prophet_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prophet", None)
    with pytest.raises(ImportError, match="build an image of the class with it"):
        train_prophet(pd.DataFrame({"ds": ["2024-01-01"], "y": [1]}))


class Flat:
    """Forecasts the mean, by the interface of Prophet that is used."""

    def fit(self, series: pd.DataFrame) -> None:
        assert list(series.columns) == ["ds", "y"]
        self.series = series

    def make_future_dataframe(self, periods: int) -> pd.DataFrame:
        last = self.series["ds"].max()
        more = pd.date_range(last + pd.Timedelta(days=1), periods=periods)
        return pd.DataFrame({"ds": [*self.series["ds"], *more]})

    def predict(self, future: pd.DataFrame) -> pd.DataFrame:
        return future.assign(yhat=self.series["y"].mean(), yhat_lower=0.0, yhat_upper=9.0)


@pytest.fixture
def prophet(monkeypatch: pytest.MonkeyPatch) -> None:
    package, serialize = types.ModuleType("prophet"), types.ModuleType("prophet.serialize")
    package.Prophet = Flat  # type: ignore[attr-defined]
    serialize.model_to_json = lambda _model: '{"trend": "flat"}'  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "prophet", package)
    monkeypatch.setitem(sys.modules, "prophet.serialize", serialize)


@pytest.mark.usefixtures("prophet")
def test_a_forecast_is_written_with_its_model() -> None:
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=4), "sold": [1, 3, 1, 3]})
    found = train_prophet(frame, date_column="day", value_column="sold", periods=2)
    assert found == {
        "model_path": "models/prophet_model.json",
        "forecast_path": "data/processed/prophet_forecast.csv",
        "metrics": evaluate_model([1, 3, 1, 3], [2, 2, 2, 2]),
        "periods_forecasted": 2,
    }
    assert Path(found["model_path"]).read_text() == '{"trend": "flat"}'
    assert len(pd.read_csv(found["forecast_path"])) == 6


@pytest.mark.usefixtures("prophet")
@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        ({"ds": ["2024-01-01"] * 2, "z": [1, 2]}, {}, "data has no column 'y'"),
        ({"ds": ["2024-01-01"] * 2, "y": [1, None]}, {}, "two rows"),
        ({"ds": ["2024-01-01"] * 2, "y": [1, 2]}, {"periods": 0}, "periods must be 1 to 100,000"),
    ],
)
def test_a_series_that_cannot_be_forecast_is_refused(
    frame: Any, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        train_prophet(pd.DataFrame(frame), **options)


@pytest.mark.parametrize("missing", ["duckdb", "matplotlib", "markdown_it", "prophet", "sklearn"])
def test_the_library_can_be_imported_without_the_optional_packages(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_import = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return plain_import(name, *arguments)

    for name in [name for name in sys.modules if name.startswith("orchestrator")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    import orchestrator.mcp

    assert orchestrator.mcp.analytics.describe_data(pd.DataFrame())["row_count"] == 0
