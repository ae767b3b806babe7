"""The decisions of `helm test`, against an API of the tests."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "helm" / "assay" / "files" / "test" / "installation.py"
RUN_FINDINGS = REPOSITORY / "cli/src/main/java/dev/assay/cli/cluster/RunFindings.java"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("installation", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


installation = _load()
SETTINGS = {
    "namespaces": ["runs"],
    "external": [],
    "languages": ["python"],
    "policies": True,
    "release": "system",
}


class _Api:
    host = "192.0.2.1"

    def __init__(self, objects: dict[str, Any], status: dict[str, Any] | None = None) -> None:
        self.objects = objects
        self.status = status or {}
        self.deleted: list[str] = []

    def get(self, path: str) -> Any:
        return self.objects[path]

    def create(self, namespace: str, kind: str, resource: str, spec: dict[str, Any]) -> str:
        return f"{resource}-1"

    def wait(self, namespace: str, resource: str, name: str, phases: tuple[str, ...]) -> Any:
        return self.status

    def delete(self, namespace: str, resource: str, name: str) -> None:
        self.deleted.append(name)


def _refused(check: Callable[..., str], api: _Api, *arguments: str) -> str:
    with pytest.raises(installation.CheckFailed) as error:
        check(api, SETTINGS, *arguments)
    return str(error.value)


def test_an_old_cluster_is_named() -> None:
    version = {"major": "1", "minor": "29+", "gitVersion": "v1.29.3"}
    message = _refused(installation.check_versions, _Api({"/version": version}))
    assert message == "Kubernetes is v1.29.3, and 1.30 or later is required"


def test_a_namespace_without_pod_security_comes_with_the_command_to_correct_it() -> None:
    api = _Api({"/api/v1/namespaces/runs": {"metadata": {}}})
    message = _refused(installation.check_pod_security, api, "runs")
    assert message.endswith(
        "kubectl label namespace runs pod-security.kubernetes.io/enforce=restricted"
    )


def test_a_quota_without_room_is_named_and_one_with_room_is_not() -> None:
    path = "/api/v1/namespaces/runs/resourcequotas"
    status = {"hard": {"pods": "2", "cpu": "4"}, "used": {"pods": "1", "cpu": "4"}}
    quota = {"metadata": {"name": "small"}, "status": status}
    message = _refused(installation.check_quota, _Api({path: {"items": [quota]}}), "runs")
    assert message == (
        "the quota small of runs has no cpu left (4 of 4 used):"
        " wait until runs have ended, or raise it"
    )
    status["hard"]["cpu"] = "3500m"
    message = _refused(installation.check_quota, _Api({path: {"items": [quota]}}), "runs")
    assert "(4 of 3500m used)" in message
    some_pods = {**quota, "spec": {"scopes": ["BestEffort"]}}
    assert "have room" in installation.check_quota(
        _Api({path: {"items": [some_pods]}}), SETTINGS, "runs"
    )
    status["used"]["cpu"] = "3"
    status["hard"]["requests.storage"] = status["used"]["requests.storage"] = "10Gi"
    assert "quotas have room" in installation.check_quota(
        _Api({path: {"items": [quota]}}), SETTINGS, "runs"
    )


def test_the_command_line_checks_the_same_resources_of_a_quota() -> None:
    source = RUN_FINDINGS.read_text()
    (names,) = re.findall(r"TAKEN_BY_PODS =\s+Set\.of\(([^)]*)\)", source)
    assert set(re.findall(r'"([^"]+)"', names)) == set(installation.TAKEN_BY_PODS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("20", 20),
        ("500m", 0.5),
        ("1.5", 1.5),
        ("1e3", 1000),
        ("2k", 2000),
        ("2E", 2 * 10**18),
        ("1Ki", 1024),
        ("2Gi", 2 * 1024**3),
        ("5n", 5e-9),
    ],
)
def test_quantities_are_read_as_kubernetes_writes_them(text: str, value: float) -> None:
    assert float(installation.quantity(text)) == value


def test_namespaces_that_were_not_tested_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {**SETTINGS, "namespaces": [], "external": ["runs-later", "b"]}
    monkeypatch.setenv("ASSAY_TEST", json.dumps(settings))
    monkeypatch.setattr(installation, "Api", lambda: None)
    monkeypatch.setattr(installation, "checks", lambda settings: [])
    assert installation.main() == 0
    assert capsys.readouterr().out.splitlines() == [
        "skip  runs-later: external, so its runs were not tested",
        "skip  b: external, so its runs were not tested",
    ]


def test_a_run_that_fails_is_reported_with_its_reason_and_deleted() -> None:
    api = _Api({}, {"phase": "Failed", "reason": "StartFailed", "message": "no image"})
    message = _refused(installation.run_checker("python"), api, "runs")
    assert message == "a run in runs ended as Failed, StartFailed: no image"
    assert api.deleted == ["analyticsruns-1"]


def test_a_wrong_answer_is_a_failure() -> None:
    api = _Api({}, {"phase": "Succeeded", "result": {"output": "43\n"}})
    assert "'43'" in _refused(installation.run_checker("python"), api, "runs")


def test_each_language_has_code_and_each_namespace_all_checks() -> None:
    settings = {**SETTINGS, "namespaces": ["a", "b"], "languages": sorted(installation.CODE)}
    planned = [(check.__name__, arguments) for check, arguments in installation.checks(settings)]
    for namespace in ("a", "b"):
        for name in ("check_pods_are_closed", "check_dataset", "check_sql", "check_typescript"):
            assert (name, (namespace,)) in planned
