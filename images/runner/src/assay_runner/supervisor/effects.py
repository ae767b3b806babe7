"""What the state machine of a run wants done, in this order."""

from __future__ import annotations

from dataclasses import dataclass

from assay_runner.frames import Message


@dataclass(frozen=True)
class LogStep:
    """Write a step of the run to the supervisor's log."""

    step: str
    run_uid: str
    at_ms: int


@dataclass(frozen=True)
class SendToWorker:
    """Send a message to the worker."""

    message: Message


@dataclass(frozen=True)
class SendReply:
    """Send the worker the reply to its request, and then say that it was sent."""

    call: int
    data: bytes


@dataclass(frozen=True)
class StopWorker:
    """Have the launcher send the worker SIGTERM, and kill everything after the grace period."""

    grace_ms: int


@dataclass(frozen=True)
class AbandonLauncher:
    """Disconnect a launcher that does not report, and then say that it is lost."""


@dataclass(frozen=True)
class CloseLink:
    """Disconnect the launcher, which then kills what is left."""


@dataclass(frozen=True)
class DigestSource:
    """Compute the digest of the snapshot's source, and then say what it is."""

    format: str


@dataclass(frozen=True)
class CopyOutput:
    """Copy output to the mirror."""

    data: bytes


@dataclass(frozen=True)
class EndCopy:
    """End the mirror's copy.

    Attributes:
        printed: total bytes of output.
        mirrored: bytes that were to be copied.
    """

    printed: int
    mirrored: int


Effect = (
    LogStep
    | SendToWorker
    | SendReply
    | StopWorker
    | AbandonLauncher
    | CloseLink
    | DigestSource
    | CopyOutput
    | EndCopy
)
