"""The faults that the alerts of the chart fire for."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from bench.mcp import McpClient, ToolResult
from cluster import control_plane
from cluster.waiting import wait_for
from e2e import rest, settings
from e2e.commands import kubectl
from faults import changes
from faults.prometheus import Labels
from faults.site import Site, read
from faults.table import restarted

_SYSTEM = ("-n", settings.SYSTEM_NAMESPACE)
_RUNS = ("-n", settings.RUN_NAMESPACE)
_KEYS = "secret/assay-api-keys"
_QUOTA = "faults-one-pod"
_LOST = 4
_SLEEP_SECONDS = 600
_CALL_SECONDS = 120
_CALLERS = 4


@dataclass(frozen=True)
class Cause:
    """A fault, and the alerts that fire for it.

    Attributes:
        name: for the table.
        inject: a context in which the fault lasts; it is over when that is left.
        alerts: all labels of each.
    """

    name: str
    inject: Callable[[Site], contextlib.AbstractContextManager[None]]
    alerts: Sequence[Labels]


def call(site: Site, **arguments: object) -> ToolResult:
    """Call the tool that runs Python, and wait for its run; RuntimeError if that is refused."""
    client = McpClient(site.installed.endpoint, site.installed.key, _CALL_SECONDS)
    # It requires no dataset in this mode.
    code = {"python_code": "print('ok')", "mode": "code"}
    try:
        return client.call("execute_custom_analytics_code", {**code, **arguments})
    finally:
        client.close()


@contextmanager
def _scaled_to_0(deployment: str, site: Site) -> Iterator[None]:
    name = f"deployment/{deployment}"
    replicas = read(name, namespace=settings.SYSTEM_NAMESPACE)["spec"]["replicas"]
    try:
        kubectl(*_SYSTEM, "scale", name, "--replicas=0")
        yield
    finally:
        kubectl(*_SYSTEM, "scale", name, f"--replicas={replicas}")


@contextmanager
def _invalid_keys(site: Site) -> Iterator[None]:
    """The kubelet writes the file with its next look at the Pod, every 10 s or so."""
    keys = read(_KEYS, namespace=settings.SYSTEM_NAMESPACE)["data"]["keys.yaml"]
    try:
        _write_keys(base64.b64encode(b"keys: [").decode())
        yield
    finally:
        _write_keys(keys)


def _write_keys(encoded: str) -> None:
    patch = json.dumps({"data": {"keys.yaml": encoded}})
    kubectl(*_SYSTEM, "patch", _KEYS, "--type=merge", "--patch", patch)


def _no_api_server(site: Site) -> contextlib.AbstractContextManager[None]:
    return restarted(control_plane.API_SERVER)(site, "")


@contextmanager
def _no_image(site: Site) -> Iterator[None]:
    with (
        changes.class_without_image(),
        _repeatedly(lambda: call(site, run_class=changes.NO_IMAGE), pause=1),
    ):
        yield


@contextmanager
def _full_quota(site: Site) -> Iterator[None]:
    """A run waits, as the quota is one Pod, which another run has."""
    with _sleeping_runs(site, 1):
        try:
            kubectl(*_RUNS, "create", "quota", _QUOTA, "--hard=pods=1")
            wait_for("the quota", _is_quota_known, seconds=60)
            site.start(code="print('ok')", timeoutSeconds=60)
            yield
        finally:
            kubectl(*_RUNS, "delete", "--ignore-not-found", f"quota/{_QUOTA}")


def _is_quota_known() -> bool:
    status = read(f"quota/{_QUOTA}", namespace=settings.RUN_NAMESPACE).get("status", {})
    return "pods" in status.get("hard", {})


@contextmanager
def _deleted_pods(site: Site) -> Iterator[None]:
    with _sleeping_runs(site, _LOST) as runs:
        pods = [site.pod(run)["metadata"]["name"] for run in runs]
        kubectl(*_RUNS, "delete", "pods", *pods, "--grace-period=0", "--force")
        yield


@contextmanager
def _sleeping_runs(site: Site, count: int) -> Iterator[list[str]]:
    code = f"import time; time.sleep({_SLEEP_SECONDS})"
    runs = [site.start(code=code, timeoutSeconds=_SLEEP_SECONDS) for _ in range(count)]
    try:
        for run in runs:
            wait_for(f"the start of {run}", partial(_is_started, site, run), seconds=120)
        yield runs
    finally:
        names = [f"analyticsrun/{run}" for run in runs]
        kubectl(*_RUNS, "delete", "--ignore-not-found", "--wait=false", *names)


def _is_started(site: Site, run: str) -> bool:
    return site.document(run).get("payloadStarted") == "Yes"


@contextmanager
def _too_many_requests(site: Site) -> Iterator[None]:
    address = urllib.parse.urlsplit(site.installed.endpoint).netloc
    key = site.installed.other_key

    def request() -> object:
        return rest.request(address, key, "GET", "/runs?limit=1", seconds=10)

    # Together they send 200 in a second at most.
    with _repeatedly(request, pause=_CALLERS / 200):
        yield


@contextmanager
def _repeatedly(make_call: Callable[[], object], pause: float) -> Iterator[None]:
    """Callers make one call after the other meanwhile, whatever becomes of it.

    Args:
        pause: of a caller between two calls, in seconds.
    """
    stopped = threading.Event()

    def work() -> None:
        while not stopped.wait(pause):
            with contextlib.suppress(OSError, http.client.HTTPException, RuntimeError):
                make_call()

    with ThreadPoolExecutor(_CALLERS) as threads:
        try:
            for _ in range(_CALLERS):
                threads.submit(work)
            yield
        finally:
            stopped.set()


def _alert(name: str, severity: str, **labels: str) -> Labels:
    return {"alertname": name, "severity": severity, **labels}


_OF_RUNS = {"namespace": settings.RUN_NAMESPACE}
_OF_NO_IMAGE = {**_OF_RUNS, "class": changes.NO_IMAGE}
_OF_PYTHON = {**_OF_RUNS, "class": "python"}

CAUSES = (
    Cause(
        "operators scaled to 0",
        partial(_scaled_to_0, "assay-operator"),
        [_alert("AssayNoLeader", "critical")],
    ),
    Cause(
        "front ends scaled to 0",
        partial(_scaled_to_0, "assay-mcp-frontend"),
        [_alert("AssayNoFrontEnd", "critical")],
    ),
    Cause("API keys invalid", _invalid_keys, [_alert("AssayApiKeysUnusable", "critical")]),
    Cause("API server stopped", _no_api_server, [_alert("AssayApiServerFails", "critical")]),
    Cause(
        "registry gone",
        _no_image,
        [
            _alert("AssayCallsFail", "critical"),
            _alert("AssayRunsDoNotStart", "warning", **_OF_NO_IMAGE),
            _alert("AssayWarmPoolEmpty", "warning", **_OF_NO_IMAGE, worker="python"),
        ],
    ),
    Cause("quota without room", _full_quota, [_alert("AssayRunsWait", "warning", **_OF_RUNS)]),
    Cause(
        f"Pods of {_LOST} runs deleted",
        _deleted_pods,
        [_alert("AssayRunsLost", "warning", **_OF_PYTHON)],
    ),
    Cause(
        "too many requests",
        _too_many_requests,
        [_alert("AssayRequestsRefused", "warning", limit="request_rate")],
    ),
)
