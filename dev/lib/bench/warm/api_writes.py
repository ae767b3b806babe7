"""Writes at the API server, from its metrics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

_SERIES = re.compile(r"apiserver_request_total\{([^}]*)\} (\S+)")
_LABEL = re.compile(r'([a-z_]+)="([^"]*)"')
_VERBS = ("POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION")
# Those that are no writes, and those that happen whether or not there are runs.
_OTHERS = (
    "leases",
    "nodes",
    "subjectaccessreviews",
    "localsubjectaccessreviews",
    "selfsubjectaccessreviews",
    "tokenreviews",
)


def api_writes(metrics: str) -> Counter[str]:
    """Writes since the API server's start, by verb and resource, such as `PATCH pods/status`.

    Those that were refused count as well.
    """
    writes: Counter[str] = Counter()
    for series in _SERIES.finditer(metrics):
        labels = dict(_LABEL.findall(series[1]))
        resource = labels.get("resource", "")
        if labels.get("verb") in _VERBS and resource not in _OTHERS:
            path = "/".join(filter(None, (resource, labels.get("subresource", ""))))
            writes[f"{labels['verb']} {path}"] += round(float(series[2]))
    return writes


def writes_per_run(
    before: Mapping[str, int], after: Mapping[str, int], runs: int
) -> dict[str, float]:
    """Of each kind that there were any of, the most frequent first."""
    made = Counter(after)
    made.subtract(before)
    return {kind: count / runs for kind, count in made.most_common() if count > 0}
