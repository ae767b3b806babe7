"""The states of a run."""

from __future__ import annotations

import enum


class State(enum.Enum):
    """The state of the run, as `hello` reports it."""

    IDLE = "Idle"
    STAGED = "Staged"
    STARTED = "Started"
    FINISHED = "Finished"
    REFUSED = "Refused"


class Phase(enum.Enum):
    """What the run waits for."""

    IDLE = enum.auto()
    """A job."""
    STAGED = enum.auto()
    """Its start."""
    STARTING = enum.auto()
    """The first instruction of the job, until the start time limit."""
    RUNNING = enum.auto()
    """The result, until the time limit."""
    FLUSHING = enum.auto()
    """`stopped` from the worker, which flushes its output, until the end of the grace period."""
    FINALIZING = enum.auto()
    """The exit of a worker that has sent its result."""
    STOPPING = enum.auto()
    """The exit of a worker that the launcher was told to stop."""
    COLLECTING = enum.auto()
    """The files that code has left. The worker has ended."""
    DIGESTING = enum.auto()
    """The digest of the snapshot's source. The worker has ended."""
    FINISHED = enum.auto()
    """Nothing: there is a result."""
    REFUSED = enum.auto()
    """Nothing: this Pod was told to start nothing."""

    @property
    def state(self) -> State:
        """The state that `hello` reports."""
        if self in (Phase.IDLE, Phase.STAGED, Phase.FINISHED, Phase.REFUSED):
            return State[self.name]
        return State.STARTED


NOT_STARTED = (Phase.IDLE, Phase.STAGED, Phase.REFUSED)
AFTER_WORKER = (Phase.COLLECTING, Phase.DIGESTING, Phase.FINISHED)
