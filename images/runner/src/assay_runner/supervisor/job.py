"""What every job has: its kind, and its limits."""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self

from assay_runner.supervisor.members import Members

MAX_CODE_BYTES = 262_144
_DAY_MS = 24 * 60 * 60 * 1000
_MAX_GRACE_MS = 60_000
_MAX_OUTPUT_BYTES = 2**40


class Limits(NamedTuple):
    """Limits of one job; times in milliseconds, sizes in bytes."""

    timeout_ms: int
    start_timeout_ms: int
    stop_grace_ms: int
    output_bytes: int

    @classmethod
    def take(cls, members: Members) -> Self:
        """Take the limits apart."""
        limits = cls(
            timeout_ms=members.number("timeoutMs", 1, _DAY_MS),
            start_timeout_ms=members.number("startTimeoutMs", 1, _DAY_MS),
            stop_grace_ms=members.number("stopGraceMs", 0, _MAX_GRACE_MS),
            output_bytes=members.number("outputBytes", 0, _MAX_OUTPUT_BYTES),
        )
        members.end()
        return limits


class Job(Protocol):
    """What a worker is to do."""

    @property
    def kind(self) -> str:
        """Its name in `KINDS`."""

    @property
    def limits(self) -> Limits:
        """Its limits."""

    @classmethod
    def take(cls, members: Members, limits: Limits) -> Self:
        """Take the members of this kind of job, all but `kind` and `limits`.

        Raises:
            Refusal: Malformed.
        """

    def message(self) -> dict[str, object]:
        """Return what the worker is told, besides the kind."""
