"""gVisor for the classes of the chart."""

from __future__ import annotations

from cluster.gvisor import NAME

_CLASSES = (
    *("python", "python-large", "code", "sql", "sql-large", "javascript"),
    *("snapshot", "snapshot-large", "snapshot-stream"),
)


def values() -> dict[str, str]:
    """Returns the values of the chart."""
    return {f"classes.{name}.runtimeClassName": NAME for name in _CLASSES}
