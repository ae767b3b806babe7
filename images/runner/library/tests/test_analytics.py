"""Statistics and drift, against pandas, numpy and scipy, and with hostile columns."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from orchestrator.mcp.analytics import describe_data, detect_drift

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize(
    "values",
    [
        RANDOM.normal(size=1000),
        RANDOM.integers(-5, 5, 1000),
        pd.array([1, None, 3, 4], dtype="Int64"),
        pd.array([1.5, None, 3.0], dtype="double[pyarrow]"),
        np.array([np.nan, 1, 2, 2]),
    ],
)
def test_statistics_of_numbers_are_those_of_pandas(values: object) -> None:
    frame = pd.DataFrame({"x": values})
    expected = frame["x"].describe()
    found = describe_data(frame)["statistics"]["x"]
    assert list(found) == ["count", "mean", "std", "min", "max", "25%", "50%", "75%"]
    assert found == pytest.approx({name: float(expected[name]) for name in found})


def test_statistics_of_text_are_those_of_pandas() -> None:
    for values in (["b", "a", "b", None], pd.Categorical(["x", "y", "y"], categories=list("xyz"))):
        frame = pd.DataFrame({"g": values})
        expected = frame["g"].describe()
        found = describe_data(frame, columns=["g"])["statistics"]["g"]
        assert found == {name: expected[name] for name in ("count", "unique", "top", "freq")}


def test_objects_text_and_categories_are_categorical_and_the_rest_is_neither() -> None:
    frame = pd.DataFrame(
        {
            "object": pd.Series([Decimal(1), [2]], dtype=object),
            "text": ["a", "b"],
            "category": pd.Categorical(["a", "b"]),
            "truth": [True, False],
            "time": pd.to_datetime(["2024-01-01", None]),
            "duration": pd.to_timedelta([1, 2], unit="s"),
            "complex": [1j, 2j],
            "number": [1, 2],
        }
    )
    found = describe_data(frame)
    assert found["categorical_columns"] == ["object", "text", "category"]
    assert found["numeric_columns"] == ["number"]
    assert found["missing_values"] == {"time": 1}
    assert describe_data(frame, columns=["object"])["statistics"]["object"]["unique"] == 2


@pytest.mark.parametrize(
    "values", [[], [np.nan], [np.inf, -np.inf], [np.inf], [5.0], [1e308, -1e308, 1e308]]
)
def test_a_description_of_any_column_is_json(values: list[float]) -> None:
    frame = pd.DataFrame({"x": pd.Series(values, dtype=float)})
    json.dumps(describe_data(frame), allow_nan=False)


def test_a_column_that_is_missing_is_named_with_those_that_are_there() -> None:
    frame = pd.DataFrame({"price": [1]})
    with pytest.raises(ValueError, match="data has no column 'prize'; it has 'price'"):
        describe_data(frame, columns=["prize"])
    with pytest.raises(ValueError, match="cur has no column 'price'"):
        detect_drift(frame, pd.DataFrame({"x": [1]}), columns=["price"])
    with pytest.raises(ValueError, match="ref has several columns of one name"):
        detect_drift(pd.DataFrame([[1, 2]], columns=["a", "a"]), frame)


def test_a_name_of_ten_kilobytes_is_shortened_in_a_message() -> None:
    with pytest.raises(ValueError, match="data has no column") as error:
        describe_data(pd.DataFrame({"x" * 10_240: [1]}), columns=["y" * 10_240])
    assert len(str(error.value)) < 300


def reference_psi(before: np.ndarray, after: np.ndarray) -> float:
    deciles = np.quantile(before, np.arange(1, 10) / 10, method="inverted_cdf")
    edges = np.concatenate([[-np.inf], np.nextafter(deciles, np.inf), [np.inf]])
    old, new = (
        np.maximum(np.histogram(values, edges)[0] / len(values), 0.0001)
        for values in (before, after)
    )
    return float(((new - old) * np.log(new / old)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_drift_is_that_of_numpy_and_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    before, after = random.normal(size=500), random.normal(seed / 4, 1 + seed / 4, size=700)
    ref = pd.DataFrame({"x": before})
    found = detect_drift(ref, pd.DataFrame({"x": after}))["column_drift"]["x"]
    assert found["psi"] == pytest.approx(reference_psi(before, after))
    assert found["ks_statistic"] == pytest.approx(stats.ks_2samp(before, after).statistic)
    assert found["drifted"] is (found["psi"] > 0.1)


@pytest.mark.parametrize("seed", range(3))
def test_an_outlier_or_a_long_tail_hides_no_drift(seed: int) -> None:
    random = np.random.default_rng(seed)
    normal, other = random.normal(size=5000), random.normal(size=5000)
    skewed = random.lognormal(size=5000)
    for before, after, drifts in [
        (normal, np.append(other + 3, 1e4), True),
        (np.append(normal, 1e4), other + 3, True),
        (skewed, random.lognormal(size=5000) * 1.8, True),
        (normal, np.append(other, 1e4), False),
        (skewed, random.lognormal(size=5000), False),
    ]:
        assert (
            detect_drift(pd.DataFrame({"x": before}), pd.DataFrame({"x": after}))["overall_drift"]
            is drifts
        )


@pytest.mark.parametrize("value", [4.0, 6.0])
def test_a_constant_drifts_to_either_side(value: float) -> None:
    ref, cur = pd.DataFrame({"x": [5.0] * 20}), pd.DataFrame({"x": [value] * 20})
    assert detect_drift(ref, cur)["overall_drift"] is True
    flags = pd.DataFrame({"x": [0] * 95 + [1] * 5})
    assert detect_drift(flags, flags)["overall_drift"] is False
    assert detect_drift(flags, 1 - flags)["overall_drift"] is True


def test_the_threshold_decides() -> None:
    ref, cur = pd.DataFrame({"x": range(100)}), pd.DataFrame({"x": range(20, 120)})
    psi = detect_drift(ref, cur)["column_drift"]["x"]["psi"]
    assert psi is not None
    assert detect_drift(ref, cur, threshold=psi)["overall_drift"] is False
    assert detect_drift(ref, cur, threshold=psi * 0.99)["overall_drift"] is True
    for threshold in (np.nan, np.inf, -1, "much"):
        with pytest.raises(ValueError, match="threshold"):
            detect_drift(ref, cur, threshold=threshold)


@pytest.mark.parametrize(
    ("before", "after", "psi", "drifted"),
    [
        ([], [], None, False),
        ([np.nan], [np.nan], None, False),
        ([np.inf], [-np.inf, np.inf], None, False),
        ([1.0, 2.0], [], None, True),
        ([], [1.0], None, True),
        ([5.0, 5.0], [5.0], 0.0, False),
        ([1.0, np.inf], [1.0, np.nan], 0.0, False),
        ([5.0] * 10, [6.0] * 10, 2 * 0.9999 * np.log(10_000), True),
        (
            [1.0, 1.0],
            [1.0, np.nextafter(1.0, 2.0)],
            0.5 * np.log(2) + 0.4999 * np.log(5000),
            True,
        ),
        ([-1e308, 1e308], [-1e308, 1e308], 0.0, False),
        ([5e-324, 0.0], [0.0, 5e-324], 0.0, False),
    ],
)
def test_drift_of_columns_without_much_in_them(
    before: list[float], after: list[float], psi: float | None, drifted: bool
) -> None:
    ref = pd.DataFrame({"x": pd.Series(before, dtype=float)})
    cur = pd.DataFrame({"x": pd.Series(after, dtype=float)})
    report = detect_drift(ref, cur)
    json.dumps(report, allow_nan=False)
    found = report["column_drift"]["x"]
    assert found["psi"] == (psi if psi is None else pytest.approx(psi))
    assert (found["drifted"], report["overall_drift"]) == (drifted, drifted)


def test_only_numeric_columns_of_both_are_compared() -> None:
    ref = pd.DataFrame({"x": [1], "g": ["a"], "only": [1], "mixed": [1]})
    cur = pd.DataFrame({"x": [1], "g": ["a"], "mixed": ["one"]})
    assert detect_drift(ref, cur)["columns_checked"] == ["x"]
    with pytest.raises(ValueError, match="not numeric: 'g', 'mixed'"):
        detect_drift(ref, cur, columns=["x", "g", "mixed"])
    assert detect_drift(pd.DataFrame(), pd.DataFrame())["columns_checked"] == []
