"""The files of the chart that are generated from its values and their comments."""

from pathlib import Path

CHART = Path(__file__).resolve().parents[3] / "helm" / "assay"
