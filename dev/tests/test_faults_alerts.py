"""What dev/faults --alerts decides without a cluster."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from faults import alerts, prometheus
from faults.alerts import Row
from faults.causes import CAUSES

_RULES = alerts.RULES.read_text()
_WAITS = {"alertname": "AssayRunsWait", "severity": "warning", "namespace": "runs"}
_ELSEWHERE = {**_WAITS, "namespace": "other"}
_NO_LEADER = {"alertname": "AssayNoLeader", "severity": "critical"}


def _rules(text: str) -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(text)["groups"]
    return list(group["rules"])


def test_windows_offsets_and_durations_are_shorter() -> None:
    text = """
      - alert: A
        # Its window is 10m.
        expr: |
          rate(a_total[10m]) > 0.05 and (b_total unless b_total offset 15m) > 120
        for: 3m
"""

    assert prometheus.shortened(text) == (
        text.replace("[10m]", "[40s]").replace("offset 15m", "offset 60s").replace("3m", "12s")
    )


def test_the_rules_of_the_chart_have_no_other_time_than_those_that_are_shortened() -> None:
    any_time = re.compile(r"\b\d+(?:ms|[smhdwy])\b")

    times = {
        time
        for rule in _rules(prometheus.shortened(_RULES))
        for time in any_time.findall(f"{rule['expr']} {rule.get('for', '')}")
    }

    assert times == {"4s", "12s", "20s", "40s", "60s"}


def test_nothing_else_of_the_rules_changes() -> None:
    def without_times(text: str) -> str:
        return re.sub(r"\b\d+[ms]\b", "T", text)

    assert without_times(prometheus.shortened(_RULES)) == without_times(_RULES)


def test_each_alert_of_the_chart_has_a_fault() -> None:
    severities = {rule["alert"]: rule["labels"]["severity"] for rule in _rules(_RULES)}
    tried = [alert for cause in CAUSES for alert in cause.alerts]

    assert {alert["alertname"]: alert["severity"] for alert in tried} == severities
    assert len(tried) == len(severities)


def test_faults_are_chosen_by_their_names_and_those_of_their_alerts() -> None:
    def chosen(*texts: str) -> list[str]:
        return [cause.name for cause in CAUSES if alerts.has(cause, texts)]

    assert chosen("") == [cause.name for cause in CAUSES]
    assert chosen("WarmPool") == ["registry gone"]
    assert chosen("quota", "NoLeader") == ["operators scaled to 0", "quota without room"]
    assert chosen("nothing") == []


def test_an_alert_that_is_pending_does_not_fire() -> None:
    data = {
        "alerts": [
            {"labels": _WAITS, "annotations": {}, "state": "firing", "value": "1.3e+02"},
            {"labels": _NO_LEADER, "annotations": {}, "state": "pending", "value": "1e+00"},
        ]
    }

    assert prometheus.firing(data) == [_WAITS]


def test_a_component_is_scraped_if_all_of_its_pods_are() -> None:
    def target(job: str, health: str) -> dict[str, Any]:
        return {"labels": {"instance": "198.18.0.7:8080", "job": job}, "health": health}

    active = [
        target("operator", "up"),
        target("operator", "unknown"),
        target("mcp-frontend", "up"),
        target("tool-gateway", "down"),
    ]

    assert prometheus.scraped({"activeTargets": active}) == {"mcp-frontend"}


def test_without_a_fault_all_is_scraped_and_no_alert_fires_soon() -> None:
    jobs = ("operator", "mcp-frontend", "tool-gateway")
    active = [{"labels": {"job": job}, "health": "up"} for job in jobs]
    pending = {"labels": _NO_LEADER, "state": "pending"}

    assert prometheus.unsettled({"alerts": []}, {"activeTargets": active}) == []
    assert prometheus.unsettled({"alerts": [pending]}, {"activeTargets": active[:2]}) == [
        "tool-gateway is not scraped",
        "AssayNoLeader is pending",
    ]


def test_the_running_pods_of_assay_are_scraped() -> None:
    def pod(name: str, phase: str, address: str = "") -> dict[str, Any]:
        labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/component": "operator"}
        return {
            "metadata": {"name": "pod", "labels": labels},
            "status": {"phase": phase, **({"podIP": address} if address else {})},
        }

    found = prometheus.targets(
        [
            pod("assay", "Running", "198.18.0.7"),
            pod("assay", "Pending"),
            pod("assay", "Failed", "198.18.0.8"),
            pod("other", "Running", "198.18.0.9"),
            {"metadata": {"name": "bare"}, "status": {"phase": "Running", "podIP": "198.18.0.10"}},
        ]
    )

    assert found == [{"targets": ["198.18.0.7:8080"], "labels": {"job": "operator"}}]


def test_labels_of_metrics_stay_as_they_are() -> None:
    (scrape,) = prometheus.configuration(Path("/there"))["scrape_configs"]

    assert scrape["honor_labels"] is True


def test_an_alert_fires_with_its_labels_and_is_resolved_when_none_of_its_name_fires() -> None:
    assert alerts.fires(_WAITS, [_NO_LEADER, _WAITS])
    assert not alerts.fires(_WAITS, [_ELSEWHERE])
    assert not alerts.is_resolved(_WAITS, [_ELSEWHERE])
    assert alerts.is_resolved(_WAITS, [_NO_LEADER])


@pytest.mark.parametrize(
    ("fired", "resolved", "firing", "problem"),
    [
        (12.0, 9.0, [_WAITS], ""),
        (12.0, None, [_WAITS], "was not resolved"),
        (None, 0.0, [_NO_LEADER], "did not fire"),
        (None, 0.0, [_ELSEWHERE], f"fired with [{_ELSEWHERE}], not {_WAITS}"),
    ],
)
def test_an_alert_has_to_fire_and_to_be_resolved(
    fired: float | None, resolved: float | None, firing: list[dict[str, str]], problem: str
) -> None:
    assert alerts.problem(_WAITS, fired, resolved, firing) == problem


def test_an_alert_is_a_row_of_the_table() -> None:
    rows = [
        Row("AssayNoLeader", "no operator", 14.4, 20.6, ["AssayRunsWait"]),
        Row("AssayRunsWait", "a | b", problems=["did not fire"]),
    ]

    assert alerts.table(rows).splitlines()[2:] == [
        "| AssayNoLeader | no operator | 14 s | 21 s | AssayRunsWait | none |",
        "| AssayRunsWait | a / b |  |  |  | did not fire |",
    ]
