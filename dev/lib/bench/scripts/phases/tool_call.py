"""One more call of a tool in a script, less the same call by the SDK's client, and its hops.

What counts is the time between the begin of a call and of the next one at the tool itself. It is
measured in the same way for the client of the SDK, for Assay and for the peer, by one clock.
"""

from __future__ import annotations

import statistics
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence

from bench.report.distribution import distribution
from bench.report.result import Result
from bench.scripts.hops import Way, hops, ways
from bench.scripts.phases import ASSAY, PEER, Setting
from bench.scripts.script_client import Script, ScriptClient
from bench.scripts.sources import source
from bench.scripts.upstream import intervals

# The records of a run have as many on a page.
_CALLS = 1000
_UNCOUNTED = 500
_SDK = "SDK client"


def measure(setting: Setting) -> Iterator[Result]:
    """In turn, in each round; the first round compiles bytecode and does not count.

    There is a result after each round, of all until then.
    """
    found: dict[str, list[float]] = {}
    calls: list[Way] = []
    with setting.serving_peer() as peer:
        client = None if peer is None else peer.client()
        for number in range(setting.rounds + 1):
            of_round, own_calls = _round(setting, client)
            if number > 0:
                for name, values in of_round.items():
                    found.setdefault(name, []).extend(values)
                calls += own_calls
                yield _result(setting, found, calls)


def _result(setting: Setting, found: Mapping[str, Sequence[float]], calls: Sequence[Way]) -> Result:
    of_hops = {f"{ASSAY}, {name}": values for name, values in hops(calls).items()}
    return Result(
        "tool-call",
        {**found, **of_hops},
        _figures(found),
        {},
        setting.conditions,
        setting.absent,
    )


def _figures(found: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Differences of the percentiles themselves, beside those of single calls."""
    sdk = distribution(found[f"{_SDK}: a call"])
    figures = {}
    for name in (ASSAY, PEER):
        if f"{name}: one more call" in found:
            own = distribution(found[f"{name}: one more call"])
            figures[f"{name}: p50 less p50 of the {_SDK}, ms"] = own.p50 - sdk.p50
            figures[f"{name}: p99 less p99 of the {_SDK}, ms"] = own.p99 - sdk.p99
    return figures


def _round(setting: Setting, peer: ScriptClient | None) -> tuple[dict[str, list[float]], list[Way]]:
    series = f"sdk-{uuid.uuid4().hex[:8]}"
    setting.upstream.call_by_sdk(series, _CALLS)
    by_sdk = intervals(setting.upstream.times(series), _UNCOUNTED)
    usual = statistics.median(by_sdk)
    found = {f"{_SDK}: a call": by_sdk}
    own, calls = _by_assay(setting)
    found |= _beyond(ASSAY, own, usual)
    if peer is not None:
        series = f"peer-{uuid.uuid4().hex[:8]}"
        peer.value(_script(series))
        found |= _beyond(PEER, intervals(setting.upstream.times(series), _UNCOUNTED), usual)
    return found, calls


def _beyond(name: str, calls: Sequence[float], usual: float) -> dict[str, list[float]]:
    """The calls, and what each takes beyond the median of the SDK's client in the same round."""
    return {
        f"{name}: one more call": list(calls),
        f"{name}: one more call, less a call of the {_SDK}": [call - usual for call in calls],
    }


def _by_assay(setting: Setting) -> tuple[list[float], list[Way]]:
    series = f"assay-{uuid.uuid4().hex[:8]}"
    began = time.monotonic()
    reply = setting.assay.value(_script(series))
    run = setting.run(reply.run)
    records = setting.front_end.request("GET", f"/runs/{reply.run}/calls?limit={_CALLS}")["items"]
    at_gateway = setting.components.calls_at_gateway(
        run["metadata"]["uid"], _CALLS, time.monotonic() - began
    )
    served = setting.upstream.times(series)
    calls = ways(reply.value, records, at_gateway, served)
    return intervals(served, _UNCOUNTED), calls[_UNCOUNTED:]


def _script(series: str) -> Script:
    return Script(source("calls"), {"series": series, "calls": _CALLS})
