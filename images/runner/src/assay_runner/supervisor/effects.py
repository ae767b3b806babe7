"""What the state machine of a run wants done, in this order."""

from __future__ import annotations

from typing import NamedTuple

from assay_runner.frames import Message


class LogStep(NamedTuple):
    """Write a step of the run to the supervisor's log."""

    step: str
    run_uid: str
    at_ms: int


class SendToWorker(NamedTuple):
    """Send a message to the worker."""

    message: Message


class SendToolResult(NamedTuple):
    """Send the worker the result of a call, and then say that it was sent."""

    call: int
    data: bytes


class AskForFiles(NamedTuple):
    """Have the launcher collect files when the worker has ended."""

    message: Message


class HandOverDatasets(NamedTuple):
    """Hand the launcher the open files of the job's datasets."""


class StopWorker(NamedTuple):
    """Have the launcher send the worker SIGTERM, and kill everything after the grace period."""

    grace_ms: int


class EndWorker(NamedTuple):
    """Have the launcher report the worker's exit now, unless it has to wait for it.

    Attributes:
        code: the exit code that the worker says it will have.
    """

    code: int


class AbandonLauncher(NamedTuple):
    """Disconnect a launcher that does not report, and then say that it is lost."""


class CloseLink(NamedTuple):
    """Disconnect the launcher, which then kills what is left."""


class DigestSource(NamedTuple):
    """Compute the digest of the snapshot's source, and then say what it is."""

    format: str


class CopyOutput(NamedTuple):
    """Copy output to the mirror."""

    data: bytes


class EndCopy(NamedTuple):
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
    | SendToolResult
    | AskForFiles
    | HandOverDatasets
    | StopWorker
    | EndWorker
    | AbandonLauncher
    | CloseLink
    | DigestSource
    | CopyOutput
    | EndCopy
)
