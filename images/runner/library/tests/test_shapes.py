"""The signatures and the shapes of what the nine functions return, against a table."""

from __future__ import annotations

import inspect
import json
import types
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import orchestrator.mcp
from orchestrator.mcp import analytics, data, models, register_artifact, viz

MODULES = (data, analytics, models, viz)
# Without annotations, which are tested by mypy.
SIGNATURES = {
    "load_csv": "(path, *, dtype=None)",
    "load_sql": "(query, connection_string=None, *, env_var='DATABASE_URL')",
    "validate_schema": (
        "(data, expected_columns, *, required_types=None, allow_extra_columns=True)"
    ),
    "describe_data": "(data, *, columns=None, include_percentiles=True)",
    "detect_drift": "(ref, cur, *, columns=None, threshold=0.1)",
    "evaluate_model": "(y_true, y_pred, *, task_type='regression', labels=None)",
    "train_prophet": (
        "(data, *, date_column='ds', value_column='y', periods=30, output_path=None)"
    ),
    "plot_distribution": "(data, column, *, output_path=None, bins=30, title=None)",
    "generate_report": "(content, title='Report', metadata=None, output_path=None)",
}
FRAME = pd.DataFrame({"x": [1.0, 2.0, 4.0], "n": [1, 2, 3], "g": ["a", None, "b"]})


def functions() -> dict[str, Any]:
    return {name: getattr(module, name) for module in MODULES for name in module.__all__}


def plain(function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def test_there_are_exactly_nine_functions_with_these_signatures() -> None:
    assert {name: plain(function) for name, function in functions().items()} == SIGNATURES


def test_each_module_has_no_other_public_function() -> None:
    for module in MODULES:
        own = {
            name
            for name, value in vars(module).items()
            if isinstance(value, types.FunctionType)
            and value.__module__ == module.__name__
            and not name.startswith("_")
        }
        assert own == set(module.__all__)


def test_each_function_has_an_example_in_its_docstring() -> None:
    for name, function in (*functions().items(), ("register_artifact", register_artifact)):
        assert ">>> " in inspect.getdoc(function), name


NUMBER = "number"
STATISTICS = dict.fromkeys(("count", "mean", "std", "min", "max", "25%", "50%", "75%"), NUMBER)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(found) for key, found in value.items()}
    if isinstance(value, list):
        return [shape(found) for found in value]
    return NUMBER if type(value) in (int, float) else value


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            lambda: data.validate_schema(
                FRAME, ["x", "id"], required_types={"g": "int"}, allow_extra_columns=False
            ),
            {
                "valid": False,
                "missing_columns": ["id"],
                "extra_columns": ["g", "n"],
                "type_mismatches": {"g": {"expected": "int", "actual": "str"}},
                "row_count": NUMBER,
            },
        ),
        (
            lambda: analytics.describe_data(FRAME),
            {
                "row_count": NUMBER,
                "column_count": NUMBER,
                "numeric_columns": ["x", "n"],
                "categorical_columns": ["g"],
                "missing_values": {"g": NUMBER},
                "statistics": {"x": STATISTICS, "n": STATISTICS},
            },
        ),
        (
            lambda: analytics.describe_data(FRAME, columns=["g"])["statistics"],
            {"g": {"count": NUMBER, "unique": NUMBER, "top": "a", "freq": NUMBER}},
        ),
        (
            lambda: analytics.describe_data(FRAME, columns=["x"], include_percentiles=False)[
                "statistics"
            ],
            {"x": dict.fromkeys(("count", "mean", "std", "min", "max"), NUMBER)},
        ),
        (
            lambda: analytics.detect_drift(FRAME, FRAME, columns=["x"]),
            {
                "overall_drift": False,
                "column_drift": {"x": {"psi": NUMBER, "drifted": False, "ks_statistic": NUMBER}},
                "columns_checked": ["x"],
                "threshold_used": NUMBER,
            },
        ),
        (
            lambda: models.evaluate_model([1, 2], [1, 3]),
            dict.fromkeys(("mae", "rmse", "r2", "mape"), NUMBER),
        ),
        (
            lambda: models.evaluate_model([1, 2], [1, 3], task_type="classification"),
            dict.fromkeys(("accuracy", "precision", "recall", "f1"), NUMBER),
        ),
        (lambda: viz.plot_distribution(FRAME, "x"), "reports/distribution_x.png"),
        (lambda: viz.generate_report("text"), "reports/report.html"),
    ],
    ids=[
        *("validate_schema", "describe_data", "describe_data-text", "describe_data-short"),
        *("detect_drift", "regression", "classification", "plot_distribution", "generate_report"),
    ],
)
def test_a_result_has_its_shape_and_is_json(result: Any, expected: Any) -> None:
    found = result()
    assert shape(found) == expected
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_all_modules_come_with_the_package() -> None:
    assert orchestrator.mcp.data.load_csv is data.load_csv
    assert set(orchestrator.mcp.__all__) == {
        *("analytics", "data", "models", "register_artifact", "viz")
    }
    assert (Path(orchestrator.mcp.__file__).parents[1] / "py.typed").exists()
