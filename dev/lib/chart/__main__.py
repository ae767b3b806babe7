"""Writes the generated files; see dev/chart."""

from chart import CHART
from chart.generated import generated

for file, text in generated(CHART).items():
    file.write_text(text)
