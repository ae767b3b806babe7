"""Independent arrivals: at half the knee, at 2 and at 5 a second."""

from __future__ import annotations

from bench.warm import arrivals
from bench.warm.client import Client
from bench.warm.phases import Setting, knee, pods_of, series, shares
from bench.warm.result import Result

_CONNECTIONS = 16


def measure(setting: Setting) -> Result:
    """Needs the knee, from the same measurement or an earlier one."""
    rates = {
        "half the knee": knee.found_before(setting.results) / 2,
        "2/s": 2.0,
        "5/s": 5.0,
    }
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    setting.pool.resize(knee.IDLE)
    with Client(setting.kubernetes, setting.namespace, _CONNECTIONS) as client:
        for name, rate in rates.items():
            times = arrivals.poisson(max(setting.rounds, 2 * knee.IDLE), rate)
            runs = client.run_all(times, setting.spec())
            samples |= series(name, runs)
            figures |= {f"{name}: runs per second": rate, **shares(name, runs)}
            setting.pool.refill(pods_of(runs))
    return Result("poisson", samples, figures)
