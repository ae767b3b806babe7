"""Independent arrivals: at half the knee, at 2 and at 5 a second."""

from __future__ import annotations

from collections.abc import Iterator

from bench import arrivals
from bench.meter import Cost
from bench.report.result import Result
from bench.warm.client import Client
from bench.warm.phases import Setting, knee, pods_of, run_and_cost, series, shares

_CONNECTIONS = 16


def measure(setting: Setting) -> Iterator[Result]:
    """Needs the knee, from the same measurement or an earlier one; a result after each rate."""
    found = knee.found_before(setting.results)
    # Where runs wait at the lowest rate already, there is no half of it: its range is missed.
    rates = {"half the knee": found / 2} if found > 0 else {}
    rates |= {"2/s": 2.0, "5/s": 5.0}
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    costs: dict[str, Cost] = {}
    count = max(setting.rounds, 2 * knee.IDLE)
    setting.pool.resize(knee.IDLE)
    with Client(setting.kubernetes, setting.namespace, _CONNECTIONS) as client:
        for name, rate in rates.items():
            runs, costs[name] = run_and_cost(setting, client, arrivals.poisson(count, rate))
            samples |= series(name, runs)
            figures |= {f"{name}: arrivals per second": rate, **shares(name, runs)}
            yield Result("poisson", samples, figures, costs)
            setting.pool.refill(pods_of(runs))
