"""A Prometheus that watches Assay on the development cluster, in fast motion."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from cluster.api import Api, ApiError
from cluster.settings import Paths
from cluster.waiting import wait_for
from e2e import settings
from faults.site import FaultTestError
from soak.kills import COMPONENTS
from soak.repeated import Repeated

FACTOR = 15
"""So many times faster than in production goes all that Prometheus measures time with."""
Labels = Mapping[str, str]
_SCRAPE_SECONDS = 30 // FACTOR
_LOOKBACK_SECONDS = 5 * 60 // FACTOR
# A window of a rule, an offset, and how long it has to be true; thresholds are none of them.
_MINUTES = re.compile(r"((?:^ *for: |\[|\boffset ))(\d+)m\b", re.MULTILINE)
_HOST = "127.0.0.1"
_LOG = settings.WORK / "faults-prometheus.log"


def shortened(rules: str) -> str:
    """The text of a file of rules whose times are shorter by the factor, and nothing else is."""
    return _MINUTES.sub(lambda found: f"{found[1]}{int(found[2]) * 60 // FACTOR}s", rules)


def configuration(directory: Path) -> dict[str, Any]:
    """What docs/alerts.md says of a Prometheus without its operator, with files in a directory."""
    return {
        "global": {
            "scrape_interval": f"{_SCRAPE_SECONDS}s",
            "evaluation_interval": f"{_SCRAPE_SECONDS}s",
        },
        "rule_files": [str(directory / "rules.yaml")],
        "scrape_configs": [
            {
                "job_name": "assay",
                "honor_labels": True,
                # That of Debian cannot ask the API server.
                "file_sd_configs": [{"files": [str(directory / "targets.json")]}],
            }
        ],
    }


def targets(pods: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Where the running ones of these Pods serve metrics, as a file of Prometheus lists it."""
    found = []
    for pod in pods:
        labels, status = pod["metadata"].get("labels", {}), pod["status"]
        if (
            labels.get("app.kubernetes.io/name") == "assay"
            and status["phase"] == "Running"
            and (address := status.get("podIP"))
        ):
            job = labels["app.kubernetes.io/component"]
            found.append({"targets": [f"{address}:8080"], "labels": {"job": job}})
    return found


def firing(alerts: Mapping[str, Any]) -> list[Labels]:
    """The labels of the alerts that fire, from the data of /api/v1/alerts."""
    return [alert["labels"] for alert in alerts["alerts"] if alert["state"] == "firing"]


def scraped(found: Mapping[str, Any]) -> set[str]:
    """The components of which each Pod is scraped, from the data of /api/v1/targets."""
    health: dict[str, set[str]] = defaultdict(set)
    for target in found["activeTargets"]:
        health[target["labels"]["job"]].add(target["health"])
    return {job for job, states in health.items() if states == {"up"}}


def unsettled(alerts: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What is not as without a fault, from the data of both: scrapes, and alerts that fire soon."""
    missing = sorted(set(COMPONENTS) - scraped(found))
    return [f"{component} is not scraped" for component in missing] + [
        f"{alert['labels']['alertname']} is {alert['state']}" for alert in alerts["alerts"]
    ]


class Prometheus:
    """The API of a Prometheus on this machine."""

    def __init__(self, port: int) -> None:
        self._port = port

    def firing(self) -> list[Labels]:
        """The labels of the alerts that fire now."""
        return firing(self._data("alerts"))

    def unsettled(self) -> list[str]:
        """What is not as without a fault."""
        return unsettled(self._data("alerts"), self._data("targets"))

    def is_ready(self) -> bool:
        """Whether it serves."""
        try:
            self._data("alerts")
        except (OSError, FaultTestError):
            return False
        return True

    def _data(self, what: str) -> dict[str, Any]:
        connection = http.client.HTTPConnection(_HOST, self._port, timeout=10)
        try:
            connection.request("GET", f"/api/v1/{what}")
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        if response.status != http.client.OK:
            raise FaultTestError(f"Prometheus: {response.status} {text[:200]}")
        return dict(json.loads(text)["data"])


@contextmanager
def watching(paths: Paths, rules: str) -> Iterator[Prometheus]:
    """A Prometheus with these rules scrapes the Pods of Assay meanwhile, whichever there are."""
    with tempfile.TemporaryDirectory(prefix="assay-prometheus-") as name:
        directory = Path(name)
        (directory / "rules.yaml").write_text(rules)
        # JSON is YAML.
        (directory / "prometheus.yaml").write_text(json.dumps(configuration(directory)))
        find = partial(_find, Api(paths), directory / "targets.json")
        find()
        port = _free_port()
        words = [
            "prometheus",
            f"--config.file={directory / 'prometheus.yaml'}",
            f"--storage.tsdb.path={directory / 'data'}",
            f"--web.listen-address={_HOST}:{port}",
            f"--query.lookback-delta={_LOOKBACK_SECONDS}s",
        ]
        finder = Repeated(find, lambda: float(_SCRAPE_SECONDS))
        with (
            _LOG.open("w") as log,
            subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT) as process,
        ):
            try:
                prometheus = Prometheus(port)
                wait_for(
                    "Prometheus",
                    prometheus.is_ready,
                    seconds=60,
                    still_possible=lambda: process.poll() is None,
                    hint=str(_LOG),
                )
                finder.start()
                try:
                    yield prometheus
                finally:
                    finder.stop()
            finally:
                process.terminate()


def _find(api: Api, file: Path) -> None:
    try:
        pods = api.get(f"/api/v1/namespaces/{settings.SYSTEM_NAMESPACE}/pods")["items"]
    except (OSError, ApiError):
        # As any Prometheus does, it scrapes those that it knows while the API server is gone.
        return
    # Prometheus must not read half of it.
    scratch = file.with_suffix(".new")
    scratch.write_text(json.dumps(targets(pods)))
    scratch.rename(file)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((_HOST, 0))
        port: int = free.getsockname()[1]
    return port
