"""Diagnostics of a failure, collected before anything is removed."""

from __future__ import annotations

from e2e import settings
from e2e.commands import kubectl
from e2e.errors import E2eError

# How much of each output is shown on a screen.
_SHOWN_LINES = 12


def _questions() -> list[tuple[str, ...]]:
    system = ("--namespace", settings.SYSTEM_NAMESPACE)
    runs = ("--namespace", settings.RUN_NAMESPACE)
    return [
        ("get", "nodes,persistentvolumes", "-o", "wide"),
        (*system, "get", "all,pvc,endpointslices", "-o", "wide"),
        (*system, "describe", "pods"),
        (*system, "get", "events", "--sort-by=.lastTimestamp"),
        (*runs, "get", "datasets,toolservers,pods,pvc,networkpolicies", "-o", "wide"),
        (*runs, "get", "events", "--sort-by=.lastTimestamp"),
        (*runs, "get", "analyticsruns", "-o", "wide", "--sort-by=.metadata.creationTimestamp"),
        (*system, "logs", "--selector", _part("mcp-frontend"), "--prefix", "--tail=400"),
        (*system, "logs", "--selector", _part("operator"), "--prefix", "--tail=400"),
        (*system, "logs", "--selector", _part("tool-gateway"), "--prefix", "--tail=400"),
    ]


def _part(component: str) -> str:
    return f"app.kubernetes.io/name=assay,app.kubernetes.io/component={component}"


def gather() -> str:
    """Appends everything to the diagnostics file and returns the end of each output."""
    whole, shown = [], []
    for question in _questions():
        title = f"=== kubectl {' '.join(question)}"
        try:
            answer = kubectl(*question, seconds=30)
        except E2eError as failure:
            answer = f"{failure}\n"
        whole.append(f"{title}\n{answer}")
        shown += [title, *(line[:200] for line in answer.splitlines()[-_SHOWN_LINES:])]
    settings.WORK.mkdir(exist_ok=True)
    with settings.DIAGNOSTICS.open("a") as file:
        file.write("\n".join([*whole, ""]))
    return "\n".join(shown)
