"""Claims of kubernetes-sigs/agent-sandbox, beside runs with as many idle Pods, one at a time.

Its Ready says that a Pod is up: no library is imported, and no code has run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from bench import arrivals
from bench.meter import Cost
from bench.report.distribution import distribution
from bench.report.result import Result
from bench.warm.agent_sandbox.claims import ClaimClient, TimedClaim, stages_ms
from bench.warm.agent_sandbox.sandboxes import SandboxPool
from bench.warm.client import Client
from bench.warm.phases import Setting, cost_of_bursts, fill, pods_of, series, shares
from bench.warm.timed_runs import TimedRun

_PHASE = "agent-sandbox"
# A run and the Pod that replaces its own take two cores 1.6 s.
_GAP_SECONDS = 4
_ONE_BY_ONE = f"{_GAP_SECONDS} s gaps"
_AT_ONCE = "20 at once"
_SERIES = (_ONE_BY_ONE, _AT_ONCE)
_IDLE = 20
_BURSTS = 3
_UNCOUNTED = 3

_Item = TypeVar("_Item")


def measure(setting: Setting) -> Iterator[Result]:
    """Claims first, and runs once agent-sandbox is removed; without it, nothing."""
    if setting.agent_sandbox is None:
        absent = "agent-sandbox, which --agent-sandbox MANIFESTS installs"
        yield Result(_PHASE, {}, {}, absent=[absent])
        return
    samples: dict[str, list[float]] = {}
    figures: dict[str, float] = {}
    costs: dict[str, Cost] = {}
    with (
        setting.agent_sandbox.installed() as conditions,
        SandboxPool(setting.kubernetes, setting.pool.image(), _IDLE) as pool,
    ):
        for name, (claims, share, cost) in _claims(setting, pool).items():
            costs[f"claims, {name}"] = cost
            samples |= {f"claims, {name}: {part}": ms for part, ms in stages_ms(claims).items()}
            figures[f"claims, {name}: share with a warm sandbox"] = share
        yield Result(_PHASE, samples, figures, costs, conditions)
    for name, (runs, cost) in _runs(setting).items():
        costs[f"runs, {name}"] = cost
        samples |= series(f"runs, {name}", runs)
        figures |= shares(f"runs, {name}", runs)
    yield Result(_PHASE, samples, {**figures, **ratios(samples)}, costs, conditions)


def ratios(samples: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """How many times longer a claim takes to be Ready than a run to its first instruction."""
    found: dict[str, float] = {}
    for name in _SERIES:
        claims = distribution(samples[f"claims, {name}: create to Ready"])
        runs = distribution(samples[f"runs, {name}: create to first instruction"])
        for percentile in ("p50", "p90", "p99"):
            ratio = getattr(claims, percentile) / getattr(runs, percentile)
            found[f"claim to Ready / run to first instruction, {name}, {percentile}"] = ratio
    return found


def _claims(setting: Setting, pool: SandboxPool) -> dict[str, tuple[list[TimedClaim], float, Cost]]:
    """Claims, the share of them with a warm sandbox, and what one costs, by series.

    The controller of agent-sandbox counts as one of the Pods.

    They are deleted at the end of a series or a burst, not one by one as their Pods would be after
    use: that would take processor time of the next claim.
    """
    kubernetes, namespace = setting.kubernetes, pool.namespace
    pool.refill()
    with ClaimClient(kubernetes, namespace) as client:
        alone, cost = _one_by_one(setting, client.claim)
        share = pool.warm_share(_sandboxes(alone))
    bursts: list[TimedClaim] = []
    warm: list[float] = []

    def at_once() -> None:
        with ClaimClient(kubernetes, namespace, _IDLE) as client:
            burst = client.claim_all(arrivals.at_once(_IDLE))
            warm.append(pool.warm_share(_sandboxes(burst)))
        bursts.extend(burst)

    def refill() -> None:
        pool.refill(_sandboxes([*alone, *bursts]))

    refill()
    cost_at_once = cost_of_bursts(setting, _IDLE, _BURSTS, at_once, refill)
    return {
        _ONE_BY_ONE: (alone, share, cost),
        _AT_ONCE: (bursts, sum(warm) / len(warm), cost_at_once),
    }


def _runs(setting: Setting) -> dict[str, tuple[list[TimedRun], Cost]]:
    """Returns runs, and what one costs, by series."""
    spec = setting.spec()
    fill(setting, _IDLE)
    with Client(setting.kubernetes, setting.namespace, _IDLE) as client:
        alone, cost = _one_by_one(setting, lambda: client.run(spec))
        bursts: list[TimedRun] = []

        def at_once() -> None:
            bursts.extend(client.run_all(arrivals.at_once(_IDLE), spec))

        def refill() -> None:
            setting.pool.refill(pods_of([*alone, *bursts]))

        refill()
        cost_at_once = cost_of_bursts(setting, _IDLE, _BURSTS, at_once, refill)
    return {_ONE_BY_ONE: (alone, cost), _AT_ONCE: (bursts, cost_at_once)}


def _one_by_one(setting: Setting, create: Callable[[], _Item]) -> tuple[list[_Item], Cost]:
    """Each some time after the one before has ended, so that the pool is full again."""
    created: list[_Item] = []

    def create_all(count: int) -> None:
        for _ in range(count):
            created.append(create())
            time.sleep(_GAP_SECONDS)

    create_all(_UNCOUNTED)
    created.clear()
    cost = setting.meter.cost(setting.rounds, lambda: create_all(setting.rounds))
    return created, cost


def _sandboxes(claims: Sequence[TimedClaim]) -> set[str]:
    return {claim.sandbox for claim in claims}
