"""What is generated, by file."""

from __future__ import annotations

import json
from pathlib import Path

from chart.comments import read_values
from chart.readme import readme
from chart.schema import schema_of


def generated(chart: Path) -> dict[Path, str]:
    """The text of each generated file of a chart.

    Raises:
        ValuesError: if values.yaml says too little or is malformed.
    """
    values = read_values((chart / "values.yaml").read_text())
    schema = schema_of(values, chart / "files" / "crds")
    return {
        chart / "values.schema.json": json.dumps(schema, indent=2) + "\n",
        chart / "README.md": readme(values, schema),
    }
