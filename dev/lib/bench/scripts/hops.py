"""The way of a call of a tool, hop by hop, from what each part of it says of the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bench.kubernetes import Object
from bench.scripts.gateway import epoch_ms
from bench.scripts.upstream import Served


class Way(NamedTuple):
    """When one call was at each place, in epoch milliseconds of one machine's clock.

    Attributes:
        called: the script was about to call.
        recorded: the operator was about to store that it sends the call.
        at_gateway: the gateway began.
        at_server: the tool began.
        served: the tool ended.
        known: the operator had the outcome.
        returned: the script had it.
    """

    called: float
    recorded: float
    at_gateway: float
    at_server: float
    served: float
    known: float
    returned: float


HOPS = (
    "script to operator",
    "operator, stored and sent to gateway",
    "gateway to tool",
    "tool",
    "tool to operator",
    "operator to script",
)


def ways(
    in_script: Sequence[Sequence[float]],
    records: Sequence[Object],
    at_gateway: Mapping[int, float],
    served: Sequence[Served],
) -> list[Way]:
    """Put together what the parts say of the calls of one run, which it made one by one.

    Args:
        in_script: before and after each call.
        records: those of the operator, in order.
        at_gateway: when the gateway began, by the number of the call.
        served: when the tool began and ended.

    Raises:
        ValueError: if one of them does not have all calls.
    """
    calls = range(1, len(in_script) + 1)
    if not (
        len(records) == len(served) == len(in_script)
        and [record["call"] for record in records] == list(calls)
        and all(call in at_gateway for call in calls)
    ):
        raise ValueError(
            f"{len(in_script)} calls of the script, {len(records)} records,"
            f" {len(at_gateway)} lines of the gateway, {len(served)} calls at the tool"
        )
    return [
        Way(
            before,
            epoch_ms(record["begun"]),
            at_gateway[call],
            at_tool.began,
            at_tool.ended,
            epoch_ms(record["ended"]),
            after,
        )
        for call, (before, after), record, at_tool in zip(
            calls, in_script, records, served, strict=True
        )
    ]


def hops(calls: Sequence[Way]) -> dict[str, list[float]]:
    """Milliseconds of each hop of the calls."""
    return {name: [way[place + 1] - way[place] for way in calls] for place, name in enumerate(HOPS)}
