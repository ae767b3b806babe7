"""Creates claims at given times, and follows all of them with one watch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.kubernetes import Kubernetes, Object
from bench.timed_client import Known, TimedClient
from bench.warm.agent_sandbox.sandboxes import EXTENSIONS, POOL, is_ready

_NANOSECONDS_OF_MS = 1_000_000
_SPEC = {"warmPoolRef": {"name": POOL}}


@dataclass(frozen=True)
class TimedClaim:
    """A claim that is Ready, with epoch nanoseconds.

    Attributes:
        posted: just before the request that created it.
        created_seen: when the watch showed that it exists.
        ready_seen: when the watch showed that it is Ready.
        sandbox: the name of what it was handed.
    """

    posted: int
    created_seen: int
    ready_seen: int
    sandbox: str


class ClaimClient(TimedClient[TimedClaim]):
    """A user of the claims of one namespace, all of them of the pool there.

    Args:
        kubernetes: the API server.
        namespace: that of the pool.
        connections: how many requests may be on their way at once.
    """

    def __init__(self, kubernetes: Kubernetes, namespace: str, connections: int = 1) -> None:
        path = f"/apis/{EXTENSIONS}/namespaces/{namespace}/sandboxclaims"
        super().__init__(kubernetes, path, EXTENSIONS, "SandboxClaim", connections)

    def claim(self) -> TimedClaim:
        """Create a claim and wait until it is Ready; queue.Empty as for runs."""
        return self._create(_SPEC)

    def claim_all(self, arrivals: Sequence[float]) -> list[TimedClaim]:
        """Create claims at these times, in seconds from now, and wait until all are Ready."""
        return self._create_all(arrivals, _SPEC)

    def _end(self, item: Object, known: Known, at: int) -> TimedClaim | None:
        if not is_ready(item):
            return None
        sandbox = item["status"]["sandbox"]["name"]
        return TimedClaim(known.posted, known.seen["created"], at, sandbox)


def stages_ms(claims: Sequence[TimedClaim]) -> dict[str, list[float]]:
    """Milliseconds of each part of the claims; all begin with the create."""
    return {
        "create to Ready": [_ms(claim.posted, claim.ready_seen) for claim in claims],
        "create to seen by a watch": [_ms(claim.posted, claim.created_seen) for claim in claims],
    }


def _ms(begin: int, end: int) -> float:
    return (end - begin) / _NANOSECONDS_OF_MS
