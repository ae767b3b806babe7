"""What helps to understand a failure, gathered before anything is removed."""

from __future__ import annotations

from e2e import settings
from e2e.commands import kubectl
from e2e.errors import E2eError

_TAIL_LINES = 60


def _questions() -> list[tuple[str, ...]]:
    system = ("--namespace", settings.SYSTEM_NAMESPACE)
    runs = ("--namespace", settings.RUN_NAMESPACE)
    return [
        ("get", "nodes,persistentvolumes", "-o", "wide"),
        (*system, "get", "all,pvc,endpointslices", "-o", "wide"),
        (*system, "get", "events", "--sort-by=.lastTimestamp"),
        (*system, "describe", "pods"),
        (*runs, "get", "datasets,pods,pvc,networkpolicies", "-o", "wide"),
        (*runs, "get", "events", "--sort-by=.lastTimestamp"),
        (*runs, "get", "analyticsruns", "-o", "wide", "--sort-by=.metadata.creationTimestamp"),
        (*system, "logs", "deployment/assay-mcp-frontend", "--tail=400"),
        (*system, "logs", "deployment/assay-operator", "--tail=400"),
    ]


def gather() -> str:
    """Writes everything to the diagnostics file and returns its end."""
    parts = []
    for question in _questions():
        try:
            answer = kubectl(*question, seconds=30)
        except E2eError as failure:
            answer = f"{failure}\n"
        parts.append(f"=== kubectl {' '.join(question)}\n{answer}")
    text = "\n".join(parts)
    settings.WORK.mkdir(exist_ok=True)
    settings.DIAGNOSTICS.write_text(text)
    return "\n".join(text.splitlines()[-_TAIL_LINES:])
