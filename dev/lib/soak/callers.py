"""Callers that make runs, one after the other, and learn what became of each.

A request that gets no answer, or a refusal that passes, is sent again with the same
Idempotency-Key, as clients are told to.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from e2e import rest
from soak import work
from soak.work import Job

# A run waits its turn for longer than this only if it is lost.
_PATIENCE_SECONDS = 400
_REQUEST_SECONDS = 90
_WAIT_SECONDS = 30
_PAUSE_SECONDS = 1.0
FINAL = ("Succeeded", "Failed", "TimedOut", "Cancelled")
_RETRYABLE = (429, 502, 503, 504)


@dataclass(frozen=True)
class Caller:
    """Who calls: a key of a namespace."""

    name: str
    namespace: str
    key: str


@dataclass(frozen=True)
class Made:
    """A run that was made, and what its caller learned of it.

    Attributes:
        phase: at its end; empty if that was not seen in time.
        output: what it printed, or the rows of a query; None if it did not succeed.
        problem: what the caller could not explain; empty if nothing.
        began: seconds since the soak began.
    """

    caller: str
    namespace: str
    job: Job
    name: str
    phase: str
    reason: str
    payload_started: str
    output: str | None
    problem: str
    began: float
    seconds: float


class RefusedError(Exception):
    """A refusal that no retry can change, or no response in time."""


class Client:
    """The REST API as one caller; retries requests without a response."""

    def __init__(self, address: str, caller: Caller) -> None:
        self._address = address
        self._caller = caller

    def json(
        self, method: str, path: str, body: object = None, *, key: str = "", within: float = 60
    ) -> Mapping[str, object]:
        """Send a request and return the JSON document of the response.

        Raises:
            RefusedError: if it is refused, or there is no response in this time.
        """
        return dict(json.loads(self.text(method, path, body, key=key, within=within)))

    def text(
        self, method: str, path: str, body: object = None, *, key: str = "", within: float = 60
    ) -> str:
        """Send a request and return the body of the response; raises as `json`."""
        end = time.monotonic() + within
        said = ""
        while time.monotonic() < end:
            try:
                status, text = rest.request(
                    self._address,
                    self._caller.key,
                    method,
                    path,
                    body,
                    idempotency_key=key,
                    seconds=_REQUEST_SECONDS,
                )
            except (OSError, http.client.HTTPException) as failure:
                said = f"{type(failure).__name__}: {failure}"
            else:
                if status < http.client.MULTIPLE_CHOICES:
                    return text
                said = f"{status} {text.strip()[:200]}"
                if status not in _RETRYABLE:
                    break
            time.sleep(_PAUSE_SECONDS)
        raise RefusedError(f"{method} {path}: {said}")


def make(client: Client, caller: Caller, job: Job, key: str, since: float) -> Made:
    """Make a run and wait for its end."""
    began = time.monotonic()
    name, run, output, problem = "", {}, None, ""
    try:
        run = dict(client.json("POST", "/runs", job.body, key=key, within=_PATIENCE_SECONDS))
        name = str(run["name"])
        if job.cancel_after is not None:
            time.sleep(job.cancel_after)
            client.json("POST", f"/runs/{name}/cancel", {}, within=_PATIENCE_SECONDS)
        run = _ended(client, job, key, began + _PATIENCE_SECONDS)
        if run["phase"] == "Succeeded":
            output = _output(client, run)
    except Exception as failure:
        # Whatever it is, this run has gone wrong.
        problem = f"{type(failure).__name__}: {failure}"
    phase = str(run.get("phase", ""))
    return Made(
        caller.name,
        caller.namespace,
        job,
        name,
        phase if phase in FINAL else "",
        str(run.get("reason", "")),
        str(run.get("payloadStarted", "")),
        output,
        problem,
        began - since,
        time.monotonic() - began,
    )


def _output(client: Client, run: Mapping[str, Any]) -> str:
    if run["language"] == "sql":
        return json.dumps(run["value"]["json"]["table"]["rows"])
    return client.text("GET", f"/runs/{run['name']}/output", within=_PATIENCE_SECONDS)


def _ended(client: Client, job: Job, key: str, until: float) -> dict[str, object]:
    """The run of a key, when it has ended or the time is over."""
    while True:
        body = {**job.body, "waitSeconds": _WAIT_SECONDS}
        run = dict(client.json("POST", "/runs", body, key=key, within=_PATIENCE_SECONDS))
        if run["phase"] in FINAL or time.monotonic() > until:
            return run


class Crowd:
    """Callers at work, from `start` to `stop`.

    Args:
        pause: how long a caller pauses after a run at most, in seconds.
        ended: called with each run that has ended, one at a time.
    """

    def __init__(
        self,
        address: str,
        callers: Sequence[Caller],
        seed: int,
        pause: float,
        ended: Callable[[Made], object],
    ) -> None:
        self._address = address
        self._seed = seed
        self._pause = pause
        self._ended = ended
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._since = time.monotonic()
        self._threads = [
            threading.Thread(target=self._work, args=(caller,), name=caller.name, daemon=True)
            for caller in callers
        ]

    def start(self) -> None:
        """Let all begin."""
        self._since = time.monotonic()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let none begin a further run, and wait until the last has ended."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _work(self, caller: Caller) -> None:
        choice = random.Random(f"{self._seed} {caller.name}")
        client = Client(self._address, caller)
        number = 0
        while not self._stopped.wait(choice.uniform(0, self._pause)):
            number += 1
            made = make(client, caller, work.job(choice), f"{self._seed}-{number}", self._since)
            with self._lock:
                self._ended(made)
