"""Measurements with a goal each: a ratio to a peer on the same machine, in the same run."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from bench.in_pod import program
from bench.kubernetes import Kubernetes, Object
from bench.pods import wait_until_alone
from bench.subjects import FrontEnd, runs_path
from bench.tools import Tools

_CLASS = "python"
_RUN_SECONDS = 60
_RELIST_SECONDS = 1.0


@dataclass(frozen=True)
class Goal:
    """One line of the result.

    Attributes:
        measured: median of the rounds, in `unit`.
        conditions: what was divided by what, with the figures.
    """

    name: str
    bound: Literal["<=", ">="]
    goal: float
    measured: float
    unit: str
    conditions: str

    @property
    def is_met(self) -> bool:
        if self.bound == "<=":
            return self.measured <= self.goal
        return self.measured >= self.goal


@dataclass(frozen=True)
class Bench:
    """What measurements use."""

    front_end: FrontEnd
    tools: Tools
    kubernetes: Kubernetes
    namespace: str
    rounds: int

    def settle(self) -> None:
        """Wait until nothing of what was measured before runs, and for a part of a second.

        The kubelet looks at its containers once a second. What starts right after the end of an
        earlier Pod would always meet the same moment of that second, and wait for the next look
        always or never.
        """
        wait_until_alone(self.kubernetes, self.namespace)
        time.sleep(random.uniform(0, _RELIST_SECONDS))

    def since_pod_start(self, run: str) -> float:
        """Seconds from when the Pod of a run was reported to run until now.

        For what a feature adds to a run: until then a Pod takes up to two seconds, more or less by
        chance.
        """
        path = f"{runs_path(self.namespace)}/{run}"
        now = time.time()
        running = self.kubernetes.get(path)["status"]["timings"]["podRunning"]
        return now - datetime.fromisoformat(running).timestamp()

    def run(self, code: str, **options: object) -> Object:
        """What REST says of a run of Python that has succeeded, which nothing runs beside."""
        self.settle()
        request = {
            "code": code,
            "runClass": _CLASS,
            "timeoutSeconds": _RUN_SECONDS,
            "waitSeconds": _RUN_SECONDS,
            **options,
        }
        run = self.front_end.request("POST", "/runs", request)
        if run["phase"] != "Succeeded":
            raise ValueError(f"run {run['name']} ended with {run}")
        return run

    def program(self, name: str, parameters: object) -> Any:
        """What a program of `in_pod` prints in a Pod without datasets."""
        return json.loads(self.run(program(name, parameters))["output"]["head"])


def table(goals: Sequence[Goal]) -> str:
    """The lines as a table in Markdown."""
    lines = ["| measure | goal | measured | conditions |", "|---|---:|---:|---|"]
    for goal in goals:
        limit = f"{goal.bound} {goal.goal:g} {goal.unit}".rstrip()
        measured = f"{goal.measured:.2f} {goal.unit}".rstrip()
        missed = "" if goal.is_met else ", not met"
        lines.append(f"| {goal.name} | {limit} | {measured}{missed} | {goal.conditions} |")
    return "\n".join(lines)


def as_json(goals: Sequence[Goal]) -> str:
    """The same as a JSON array."""
    return json.dumps([{**asdict(goal), "met": goal.is_met} for goal in goals], indent=2)
