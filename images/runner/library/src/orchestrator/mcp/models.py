"""Measures of predictions, and forecasts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
import pandas as pd

from orchestrator.mcp._optional import require
from orchestrator.mcp._plain import Floats, chosen, number

__all__ = ["evaluate_model", "train_prophet"]

_MODEL = "models/prophet_model.json"
_FORECAST = "data/processed/prophet_forecast.csv"
_MAX_PERIODS = 100_000


class Forecast(TypedDict):
    """What `train_prophet` has written."""

    model_path: str
    forecast_path: str
    metrics: dict[str, float | int | None]
    periods_forecasted: int


def train_prophet(
    data: pd.DataFrame,
    *,
    date_column: str = "ds",
    value_column: str = "y",
    periods: int = 30,
    output_path: str | os.PathLike[str] | None = None,
) -> Forecast:
    """Fit a Prophet model to a daily series, and forecast it.

    Args:
        data: the series.
        date_column: the column with its dates, or text that is a date.
        value_column: the column with its values.
        periods: how many days to forecast, 1 to 100,000.
        output_path: of the model as JSON; None for `models/prophet_model.json`. The forecast is
            written to `data/processed/prophet_forecast.csv`, with `ds`, `yhat`, `yhat_lower` and
            `yhat_upper`.

    Returns:
        `model_path`, `forecast_path`; `metrics` of the fit on the data itself, as `evaluate_model`
        returns them; `periods_forecasted`.

    Raises:
        ImportError: if the package prophet is not installed, which is not in the image by default.
        ValueError: if a column is missing, there are fewer than two values, or `periods` is out of
            range.

    Example:
        >>> import pandas as pd
        >>> days = pd.date_range("2024-01-01", periods=60)
        >>> frame = pd.DataFrame({"ds": days, "y": range(60)})
        >>> found = train_prophet(frame, periods=7)  # doctest: +SKIP
        >>> found["periods_forecasted"]  # doctest: +SKIP
        7
    """
    prophet: Any = require("prophet", "prophet", "train_prophet")
    chosen(data, [date_column, value_column])
    if not 1 <= periods <= _MAX_PERIODS:
        raise ValueError(f"periods must be 1 to {_MAX_PERIODS:,}")
    dates = pd.to_datetime(data[date_column])
    series = pd.DataFrame({"ds": dates, "y": data[value_column]}).dropna()
    if len(series) < 2:
        raise ValueError("a forecast needs two rows with a date and a value, or more")
    model = prophet.Prophet()
    model.fit(series)
    forecast = model.predict(model.make_future_dataframe(periods=periods))
    serialize: Any = require("prophet.serialize", "prophet", "train_prophet")
    model_path = _written(output_path or _MODEL, serialize.model_to_json(model))
    columns = forecast[["ds", "yhat", "yhat_lower", "yhat_upper"]]
    fitted = series.merge(columns, on="ds")
    return {
        "model_path": model_path,
        "forecast_path": _written(_FORECAST, columns.to_csv(index=False)),
        "metrics": evaluate_model(fitted["y"], fitted["yhat"]),
        "periods_forecasted": int(periods),
    }


def evaluate_model(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    task_type: str = "regression",
    labels: Sequence[Any] | None = None,
) -> dict[str, float | int | None]:
    """Measure predictions.

    Args:
        y_true: the true values or labels, one dimension.
        y_pred: the predicted ones, as many.
        task_type: `regression` or `classification`.
        labels: the labels that count; None for all. With two, the higher one is the positive, and
            the measures are those of that label; with more, they are the means over all labels.

    Returns:
        `mae`, `rmse`, `r2` and `mape` of a regression: `mape` in percent, without the true values
        that are zero, None if all are; `r2` None for a single value. `accuracy`, `precision`,
        `recall` and `f1` of a classification, 0 where nothing was predicted.

    Raises:
        ValueError: for an unknown task, different lengths, no values, more than one dimension, or
            values that are missing or infinite.

    Example:
        >>> found = evaluate_model([3.0, 5.0, 2.0], [2.5, 5.0, 2.5])
        >>> {name: round(value, 3) for name, value in found.items()}
        {'mae': 0.333, 'rmse': 0.408, 'r2': 0.893, 'mape': 13.889}
        >>> evaluate_model([0, 1, 1, 0], [0, 1, 0, 0], task_type="classification")
        {'accuracy': 0.75, 'precision': 1.0, 'recall': 0.5, 'f1': 0.6666666666666666}
    """
    if task_type not in ("regression", "classification"):
        raise ValueError(f"task_type must be regression or classification, not {task_type!r}")
    true, predicted = _series("y_true", y_true), _series("y_pred", y_pred)
    if len(true) != len(predicted):
        raise ValueError(f"y_true has {len(true):,} values, y_pred {len(predicted):,}")
    if not len(true):
        raise ValueError("y_true and y_pred are empty")
    if task_type == "regression":
        return _regression(_numeric("y_true", true), _numeric("y_pred", predicted))
    return _classification(true, predicted, labels)


def _series(name: str, values: npt.ArrayLike) -> pd.Series[Any]:
    if np.ndim(values) != 1:
        raise ValueError(f"{name} has {np.ndim(values)} dimensions: pass a list or a column")
    series: pd.Series[Any] = pd.Series(values).reset_index(drop=True)
    missing = int(series.isna().sum())
    if missing:
        raise ValueError(f"{name} has {missing:,} missing values: drop them first")
    return series


def _numeric(name: str, series: pd.Series[Any]) -> Floats:
    try:
        values = series.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} has values that are not numbers") from None
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has infinite values: drop them first")
    return values


def _regression(true: Floats, predicted: Floats) -> dict[str, float | int | None]:
    with np.errstate(all="ignore"):
        errors = predicted - true
        present = true != 0
        shares = np.abs(errors[present] / true[present])
        return {
            "mae": number(np.mean(np.abs(errors))),
            "rmse": number(np.sqrt(np.mean(errors**2))),
            "r2": _r2(true, errors),
            "mape": number(np.mean(shares) * 100) if len(shares) else None,
        }


def _r2(true: Floats, errors: Floats) -> float | int | None:
    if len(true) < 2:
        return None
    left, total = float(np.sum(errors**2)), float(np.sum((true - np.mean(true)) ** 2))
    if total == 0:
        return 1.0 if left == 0 else 0.0
    return number(1 - left / total)


def _classification(
    true: pd.Series[Any], predicted: pd.Series[Any], labels: Sequence[Any] | None
) -> dict[str, float | int | None]:
    found = set(true) | set(predicted) if labels is None else set(labels)
    if not found:
        raise ValueError("labels is empty")
    try:
        ordered = sorted(found)
    except TypeError:
        raise ValueError("the labels are of several types: convert them to one") from None
    counted = ordered[-1:] if len(ordered) <= 2 else ordered
    measures = np.array([_of_label(true == label, predicted == label) for label in counted])
    precision, recall, f1 = measures.mean(axis=0)
    return {
        "accuracy": number(np.mean(true == predicted)),
        "precision": number(precision),
        "recall": number(recall),
        "f1": number(f1),
    }


def _of_label(true: pd.Series[Any], predicted: pd.Series[Any]) -> tuple[float, float, float]:
    hits = int((true & predicted).sum())
    precision, recall = _share(hits, int(predicted.sum())), _share(hits, int(true.sum()))
    return precision, recall, _share(2 * precision * recall, precision + recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _written(path: str | os.PathLike[str], text: str) -> str:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return os.fspath(path)
