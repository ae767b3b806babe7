"""What TypeScript of 20 KB adds to the same script in JavaScript.

In a worker alone, since it is less than what a run takes more or less by chance.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence

from bench.in_pod import program
from bench.pods import first_output, pod_of_run, with_worker_alone
from bench.report.result import Result
from bench.scripts.phases import ASSAY, PEER, Setting
from bench.scripts.script_client import Script
from bench.scripts.typed_source import TypedSource, typed_source

_BYTES = 20 * 1024
_TIMES = 4
_PEER_TIMES = 10
_TYPESCRIPT, _JAVASCRIPT = "typescript", "javascript"
_RUN = {"language": _JAVASCRIPT, "code": "1"}


def measure(setting: Setting) -> Iterator[Result]:
    """A new worker for each, warmed up as in a warm Pod, and then as in one that starts."""
    both = typed_source(_BYTES)
    samples: dict[str, list[float]] = {}
    for state, warm in (("warm", True), ("cold", False)):
        for language, times in _in_pod(setting, both, warm=warm).items():
            samples[f"{ASSAY}, {state} worker: {language}"] = times
    with setting.serving_peer() as peer:
        if peer is not None:
            client = peer.client()
            for number in range(setting.rounds * _PEER_TIMES + 1):
                for language in (_TYPESCRIPT, _JAVASCRIPT):
                    reply = client.value(Script(getattr(both, language), language=language))
                    _check(both, reply.value)
                    if number > 0:
                        name = f"{PEER}: {language}, whole call"
                        samples.setdefault(name, []).append(reply.milliseconds)
    yield Result("typescript", samples, _added(samples), {}, setting.conditions, setting.absent)


def _added(samples: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """What TypeScript adds, by whose it is: the difference of the medians."""
    figures = {}
    for name, values in samples.items():
        subject, separator, rest = name.partition(f": {_TYPESCRIPT}")
        if separator:
            plain = samples[f"{subject}: {_JAVASCRIPT}{rest}"]
            added = statistics.median(values) - statistics.median(plain)
            figures[f"{subject}: ms that TypeScript adds"] = added
    return figures


def _in_pod(setting: Setting, both: TypedSource, *, warm: bool) -> dict[str, list[float]]:
    jobs = {
        language: {"code": getattr(both, language), "language": language}
        for language in (_TYPESCRIPT, _JAVASCRIPT)
    }
    parameters = {"jobs": jobs, "rounds": setting.rounds * _TIMES, "warm": warm}
    pod = pod_of_run(setting.kubernetes, setting.namespace, _RUN)
    spec = with_worker_alone(pod, program("script_times", parameters))
    setting.settle()
    found = json.loads(first_output(setting.kubernetes, setting.namespace, spec).text)
    for one in found.values():
        (value,) = one["values"]
        _check(both, json.loads(value))
    return {language: found[language]["ms"] for language in jobs}


def _check(both: TypedSource, value: object) -> None:
    if value != both.value:
        raise ValueError(f"the value of a script is {value}, and {both.value} expected")
