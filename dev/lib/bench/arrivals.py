"""When runs arrive, in seconds from the begin."""

from __future__ import annotations

import random


def at_once(count: int) -> list[float]:
    """All in the same moment."""
    return [0.0] * count


def evenly(count: int, rate: float) -> list[float]:
    """`rate` a second, with equal pauses."""
    return [number / rate for number in range(count)]


def poisson(count: int, rate: float, seed: int = 17) -> list[float]:
    """`rate` a second on average, independent of each other; the same for the same seed."""
    chosen = random.Random(seed)
    times, now = [], 0.0
    for _ in range(count):
        times.append(now)
        now += chosen.expovariate(rate)
    return times
