"""Five scripts that compute, from the request until the answer, with a warm Pod.

The peer has as many cores as there are; a script in a Pod has those of its class.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping

from bench.kubernetes import Object
from bench.report.result import Result
from bench.scripts.phases import ASSAY, PEER, Setting
from bench.scripts.script_client import Script, ScriptClient
from bench.scripts.sources import source

_IDLE = 2
# By their sources, with their inputs, of which each takes the peer seconds.
SCRIPTS: Mapping[str, Object] = {
    "sort": {"size": 200_000},
    "regex": {"size": 30_000},
    "matrix": {"size": 220},
    "json": {"size": 4_000, "rounds": 4},
    "text": {"size": 30_000},
}
_UNCOUNTED = 1


def measure(setting: Setting) -> Iterator[Result]:
    """Each in turn; the values must be equal."""
    setting.script_class.pool.resize(_IDLE)
    samples: dict[str, list[float]] = {}
    with setting.serving_peer() as peer:
        clients = setting.clients(peer)
        for number in range(setting.rounds + _UNCOUNTED):
            for name in SCRIPTS:
                for subject, milliseconds in _round(setting, clients, name).items():
                    if number >= _UNCOUNTED:
                        samples.setdefault(f"{name}: {subject}", []).append(milliseconds)
    figures = ratios(samples) if setting.peer is not None else {}
    yield Result("computing", samples, figures, {}, setting.conditions, setting.absent)


def ratios(samples: Mapping[str, list[float]]) -> dict[str, float]:
    """How many times longer the peer takes for each script; the median and the least of these."""
    medians = {name: statistics.median(values) for name, values in samples.items()}
    of_scripts = {
        name: medians[f"{name}: {PEER}"] / medians[f"{name}: {ASSAY}"] for name in SCRIPTS
    }
    return {
        **{f"{name}: {PEER} / {ASSAY}": ratio for name, ratio in of_scripts.items()},
        f"median of {PEER} / {ASSAY}": statistics.median(of_scripts.values()),
        f"least of {PEER} / {ASSAY}": min(of_scripts.values()),
    }


def _round(setting: Setting, clients: Mapping[str, ScriptClient], name: str) -> dict[str, float]:
    script = Script(source(name), SCRIPTS[name])
    replies = {}
    for subject, client in clients.items():
        replies[subject] = client.value(script)
        if subject == ASSAY:
            setting.refill(replies[subject])
    values = [reply.value for reply in replies.values()]
    if any(value != values[0] for value in values):
        raise ValueError(f"the values of {name} differ: {str(values)[:1000]}")
    return {subject: reply.milliseconds for subject, reply in replies.items()}
