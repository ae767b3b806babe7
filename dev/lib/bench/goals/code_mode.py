"""Code mode beside a standard run of the same code, and the guard on the longest code."""

from __future__ import annotations

import statistics

from bench.goals import Bench, Goal

_CODE = "import json\nprint(json.dumps({}))"


def measure(bench: Bench) -> list[Goal]:
    """One uncounted round first; runs are short, so there are more of them."""
    seconds: dict[str, list[float]] = {"standard": [], "code": []}
    for number in range(4 * bench.rounds + 1):
        # In turn the first.
        for mode in sorted(seconds, reverse=number % 2 == 0):
            seconds[mode].append(_seconds(bench, mode, number))
    calls = {mode: statistics.median(times[1:]) * 1000 for mode, times in seconds.items()}
    judged = bench.program("guard_times", {"rounds": bench.rounds})
    slowest = max(judged, key=lambda name: statistics.median(judged[name]))
    return [
        Goal(
            "code mode, added to a standard run",
            "<=",
            30,
            calls["code"] - calls["standard"],
            "ms",
            f"{calls['code']:.0f} - {calls['standard']:.0f} ms from the start of the Pod to the"
            f" answer, {len(seconds['code']) - 1} runs each",
        ),
        Goal(
            "guard on code of up to 256 KiB, CPU time",
            "<=",
            300,
            statistics.median(judged[slowest]),
            "ms",
            "; ".join(f"{name} {statistics.median(times):.0f}" for name, times in judged.items()),
        ),
    ]


def _seconds(bench: Bench, mode: str, number: int) -> float:
    return bench.since_pod_start(bench.run(_CODE.format(number), mode=mode)["name"])
