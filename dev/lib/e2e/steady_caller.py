"""A caller that makes one call after the other, whatever becomes of those before.

Each call has a connection of its own and is made once. A reply that says that the run continues is
followed as agents follow it, by get_run; what a response has accepted is waited for by the same
Idempotency-Key. Nothing else is sent again.
"""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle

from bench.mcp import McpClient, ToolResult
from e2e import rest
from e2e.call_log import Call
from e2e.installation import Installed

EVERY_SECONDS = 0.2
DATASET = "upgrade_fruit"
TABLE = "fruit,kilos\napple,3\npear,4\n"
# Longer than this a connection is not needed: a front end that ends closes what is open after 20 s.
WAIT_SECONDS = 10
_CALL_SECONDS = 300
_CONTINUES = re.compile(r"The run (\S+) continues: ")
_ENDED = ("Succeeded", "Failed", "TimedOut", "Cancelled")
_FIRST_MARKER = 7_000_000
# Two cores start 1.3 Pods in a second, beside everything that an upgrade starts.
_QUICK_BETWEEN_RUNS = 19


class Client:
    """Makes calls, each on a connection of its own; any failure is an exception."""

    def __init__(self, installed: Installed) -> None:
        self._installed = installed
        self._address = urllib.parse.urlsplit(installed.endpoint).netloc

    def rest(
        self, method: str, path: str, body: object = None, *, key: str | None = None
    ) -> tuple[int, str]:
        """Status and body of a response of /api/v1."""
        status, text = rest.request(
            self._address,
            self._installed.key,
            method,
            path,
            body,
            idempotency_key=key or "",
            seconds=_CALL_SECONDS,
        )
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {text.strip()[:300]}")
        return status, text

    def tool(self, name: str, /, **arguments: object) -> ToolResult:
        """The result of a tool, once its run has ended."""
        end = time.monotonic() + _CALL_SECONDS
        result = self._tool(name, arguments)
        while continues := _CONTINUES.search(result.text):
            if time.monotonic() > end:
                raise RuntimeError(f"{name}: {result.text[:300]}")
            result = self._tool(
                "get_run", {"name": continues.group(1), "wait_seconds": WAIT_SECONDS}
            )
        if result.is_error:
            raise RuntimeError(f"{name}: {result.text[:300]}")
        return result

    def run(self, body: Mapping[str, object], key: str) -> str:
        """The name of a run that has succeeded, of POST /runs."""
        end = time.monotonic() + _CALL_SECONDS
        while True:
            _, text = self.rest("POST", "/runs", {**body, "waitSeconds": WAIT_SECONDS}, key=key)
            run = json.loads(text)
            if run["phase"] in _ENDED or time.monotonic() > end:
                break
        if run["phase"] != "Succeeded":
            raise RuntimeError(f"run {run['name']}: {run['phase']} {run.get('reason')}")
        return str(run["name"])

    def _tool(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        client = McpClient(self._installed.endpoint, self._installed.key, _CALL_SECONDS)
        try:
            return client.call(name, dict(arguments))
        finally:
            client.close()


def _rest_python(client: Client, marker: str) -> None:
    client.run({"code": f"print({marker})", "dataset": DATASET}, f"upgrade-{marker}")


def _python(client: Client, marker: str) -> None:
    code = f"print({marker})"
    _require_marker(
        marker,
        client.tool("execute_custom_analytics_code", dataset_name=DATASET, python_code=code),
    )


def _code_mode(client: Client, marker: str) -> None:
    code = f"print({marker})"
    _require_marker(
        marker, client.tool("execute_custom_analytics_code", python_code=code, mode="code")
    )


def _sql(client: Client, marker: str) -> None:
    query = f"SELECT {marker} AS marker, sum(kilos) AS kilos FROM {DATASET}"
    _require_marker(
        marker,
        client.tool("analytics_execute_query", query_type="sql", query=query, files=[DATASET]),
    )


def _javascript(client: Client, marker: str) -> None:
    _require_marker(
        marker, client.tool("code_execution", code=f"console.log({marker}); ({{ n: {marker} }})")
    )


def _sample(client: Client, marker: str) -> None:
    client.tool("analytics_stream_sample", file_path=DATASET, sample_size=2, seed=int(marker))


RUNS: dict[str, Callable[[Client, str], None]] = {
    "Python by REST with a key": _rest_python,
    "SQL": _sql,
    "JavaScript": _javascript,
    "Python": _python,
    "sample": _sample,
    "code mode": _code_mode,
}
QUICK: dict[str, Callable[[Client], object]] = {
    "list_datasets": lambda client: client.tool("list_datasets"),
    "describe_dataset": lambda client: client.tool("describe_dataset", dataset_name=DATASET),
    "list_runs": lambda client: client.tool("list_runs", limit=5),
    "runs by REST": lambda client: client.rest("GET", "/runs?limit=5"),
    "datasets by REST": lambda client: client.rest("GET", "/datasets"),
}


def _require_marker(marker: str, result: ToolResult) -> None:
    if marker not in result.text:
        raise RuntimeError(f"{marker} is missing in the reply: {result.text[:300]}")


class SteadyCaller:
    """Calls from `start` to `stop`, every kind in turn.

    Args:
        call: what makes the call of a kind, given the marker, empty for one that makes no run.
        ended: called with each call that has ended, one at a time.
    """

    def __init__(
        self,
        call: Callable[[str, str], object],
        runs: Sequence[str],
        quick: Sequence[str],
        ended: Callable[[Call], object] = lambda call: None,
        every: float = EVERY_SECONDS,
    ) -> None:
        self._call = call
        self._runs = runs
        self._quick = quick
        self._ended = ended
        self._every = every
        self._phase = ""
        self._calls: list[Call] = []
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._pace = threading.Thread(target=self._make_calls, name="steady-caller", daemon=True)
        self._began = 0.0

    def start(self, phase: str) -> None:
        """Begins to call."""
        self._began = time.monotonic()
        self._phase = phase
        self._pace.start()

    def enter(self, phase: str) -> None:
        """Names what is going on from now on."""
        with self._changed:
            self._phase = phase

    def wait_for(self, times: int, seconds: float = 600) -> bool:
        """Waits until that many calls of each kind have begun in this phase and have ended."""
        with self._changed:
            return self._changed.wait_for(lambda: self._has(times), seconds)

    def stop(self) -> list[Call]:
        """Makes no further call, and returns all in their order once the last has ended."""
        self._stopped.set()
        self._pace.join()
        return sorted(self._calls, key=lambda call: call.began)

    def _has(self, times: int) -> bool:
        ended = Counter(call.kind for call in self._calls if call.phase == self._phase)
        return all(ended[kind] >= times for kind in (*self._runs, *self._quick))

    def _make_calls(self) -> None:
        runs, quick, numbers = cycle(self._runs), cycle(self._quick), count(_FIRST_MARKER)
        # As many as can be in flight before the first of them is given up.
        workers = int(_CALL_SECONDS / self._every)
        with ThreadPoolExecutor(max_workers=workers) as threads:
            for number in count():
                if self._stopped.wait(self._began + number * self._every - time.monotonic()):
                    return
                if number % (_QUICK_BETWEEN_RUNS + 1):
                    threads.submit(self._one, next(quick), "", self._phase)
                else:
                    threads.submit(self._one, next(runs), str(next(numbers)), self._phase)

    def _one(self, kind: str, marker: str, phase: str) -> None:
        began = time.monotonic()
        error = ""
        try:
            self._call(kind, marker)
        except Exception as failure:
            # Whatever it is, the call has failed.
            error = f"{type(failure).__name__}: {failure}"
        ended = time.monotonic()
        call = Call(kind, phase, began - self._began, ended - began, error, marker)
        with self._changed:
            self._calls.append(call)
            self._ended(call)
            self._changed.notify_all()


def of(installed: Installed, ended: Callable[[Call], object]) -> SteadyCaller:
    """A caller of what is installed."""
    client = Client(installed)

    def call(kind: str, marker: str) -> object:
        return RUNS[kind](client, marker) if marker else QUICK[kind](client)

    return SteadyCaller(call, list(RUNS), list(QUICK), ended)
