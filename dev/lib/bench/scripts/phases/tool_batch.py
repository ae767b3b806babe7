"""31 calls of 300 ms each at once, from the call of the script until it has all outcomes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench.report.result import Result
from bench.scripts.phases import ASSAY, PEER, Setting
from bench.scripts.script_client import Script
from bench.scripts.sources import source

_SIZE = 31
_MILLIS = 300
_BATCHES = 6
# The first batch of a script may open connections.
_UNCOUNTED = 1


def measure(setting: Setting) -> Iterator[Result]:
    """A script of each in turn, with several batches."""
    script = Script(
        source("batches"),
        {"size": _SIZE, "millis": _MILLIS, "batches": _BATCHES},
        # The peer has no such option: there each batch decides.
        {"max_parallel": _SIZE},
    )
    samples: dict[str, list[float]] = {}
    with setting.serving_peer() as peer:
        clients = setting.clients(peer)
        for _ in range(setting.rounds):
            for name, client in clients.items():
                times = client.value(script).value[_UNCOUNTED:]
                samples.setdefault(f"{name}: {_SIZE} calls of {_MILLIS} ms", []).extend(times)
    figures = {}
    if len(samples) > 1:
        own, other = (statistics.median(values) for values in samples.values())
        figures[f"{ASSAY} / {PEER}"] = own / other
    yield Result("tool-batch", samples, figures, {}, setting.conditions, setting.absent)
