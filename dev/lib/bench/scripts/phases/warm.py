"""A trivial script from a warm Pod, from the request of MCP until the answer."""

from __future__ import annotations

from collections.abc import Iterator

from bench.report.result import Result
from bench.scripts.phases import ASSAY, Setting
from bench.scripts.script_client import Script

_IDLE = 5
_UNCOUNTED = 5
# A call of this kind is short, so that there are more of them.
_TIMES = 6


def measure(setting: Setting) -> Iterator[Result]:
    """One at a time, with a full pool each time."""
    setting.script_class.pool.resize(_IDLE)
    samples: dict[str, list[float]] = {}
    warm = 0
    count = setting.rounds * _TIMES
    with setting.serving_peer() as peer:
        clients = setting.clients(peer)
        for number in range(count + _UNCOUNTED):
            for name, client in clients.items():
                reply = client.value(Script(f"1 + {number}"))
                if reply.value != 1 + number:
                    raise ValueError(f"1 + {number} is {reply.value}")
                if number >= _UNCOUNTED:
                    samples.setdefault(f"{name}: trivial script", []).append(reply.milliseconds)
                if name == ASSAY:
                    warm += bool(setting.refill(reply)["warm"])
    yield Result(
        "script-warm",
        samples,
        {f"{ASSAY}: share with a warm Pod": warm / (count + _UNCOUNTED)},
        {},
        setting.conditions,
        setting.absent,
    )
