"""What the templates of the chart must contain."""

from __future__ import annotations

import re
from ipaddress import IPv4Network
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPLATES = REPOSITORY / "helm" / "assay" / "templates"
ADDRESS_RULES = (
    REPOSITORY / "tool-gateway/src/main/java/dev/assay/gateway/address/AddressRules.java"
)


def template(name: str) -> str:
    return (TEMPLATES / name).read_text()


def test_nothing_but_their_own_policy_refuses_run_pods_at_the_front_end() -> None:
    policy = template("frontend/networkpolicy.yaml")
    assert len(re.findall("^kind:", policy, re.MULTILINE)) == 1
    assert "policyTypes: [Ingress]" in policy
    _, _, ingress = policy.partition("\n  ingress:\n")
    everybody, _, metrics = ingress.partition("    {{- with .Values.frontend.metricsFrom }}\n")
    assert everybody == "    - ports:\n        - protocol: TCP\n          port: 8787\n"
    assert "port: 8787" not in metrics


def test_run_pods_are_tested_at_the_service_of_the_front_end() -> None:
    service = template("frontend/service.yaml")
    port = "port: {{ .Values.frontend.service.port }}"
    assert "\n  name: assay\n" in service
    assert f"      {port}\n      targetPort: mcp\n" in service
    tested = f"egressCheck:\n      host: assay.{{{{ .Release.Namespace }}}}.svc\n      {port}\n"
    assert tested in template("operator/config.yaml")


def test_each_class_that_runs_get_by_default_must_be_among_the_classes() -> None:
    named = re.findall(r"\.Values\.(\S*[rR]unClass)\b", template("frontend/config.yaml"))
    assert len(named) == 4
    validation = template("_validate.tpl")
    for field in named:
        assert f'"{field}" .Values.{field}' in validation


def test_policies_name_ipv6_only_where_a_value_asks_for_it() -> None:
    for policy in TEMPLATES.rglob("networkpolic*.yaml"):
        text = policy.read_text()
        asked = re.sub(
            r"\{\{- if \.Values\.toolGateway\.ipv6 \}\}.*?\{\{- end \}\}", "", text, flags=re.DOTALL
        )
        assert not re.search(r"[0-9a-f]::", asked), policy.name


def test_the_replicas_of_the_tool_gateway_are_two_and_not_disrupted_together() -> None:
    values = yaml.safe_load((TEMPLATES.parent / "values.yaml").read_text())["toolGateway"]
    assert (values["enabled"], values["replicas"]) == (False, 2)
    deployment = template("tool-gateway/deployment.yaml")
    assert "  replicas: {{ .Values.toolGateway.replicas }}\n" in deployment
    assert (
        'include "assay.disruptionBudget" (list . "tool-gateway" .Values.toolGateway)' in deployment
    )
    _, _, budget = template("_helpers.tpl").partition("\nkind: PodDisruptionBudget\n")
    assert "\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n" in budget


def test_the_policy_of_the_tool_gateway_refuses_what_it_refuses_itself() -> None:
    refused = re.findall(r'"(\d[\d.]*/\d+)"', ADDRESS_RULES.read_text())
    _, _, public = template("tool-gateway/networkpolicy.yaml").partition("cidr: 0.0.0.0/0\n")
    excepted = re.findall(r"^ +- ([\d.]+/\d+)$", public, re.MULTILINE)
    assert len(refused) > 10
    for private in map(IPv4Network, refused):
        assert any(private.subnet_of(IPv4Network(wider)) for wider in excepted), private


def test_the_job_of_the_crds_may_change_those_of_the_chart_and_nothing_else() -> None:
    text = template("crds.yaml")
    (rules,) = re.findall(r"^rules:\n(.*?)\n---$", text, re.MULTILINE | re.DOTALL)
    (names,) = re.findall(r"^ +resourceNames:\n((?: +- [a-z.]+\n)+)", rules, re.MULTILINE)
    files = (TEMPLATES.parent / "files" / "crds").iterdir()
    assert re.findall(r"- (\S+)", names) == sorted(file.stem for file in files)
    assert rules.count("- apiGroups:") == 1
    assert "verbs: [get, create, patch]" in rules


def test_crds_are_applied_before_anything_is_replaced_and_not_by_a_rollback() -> None:
    text = template("crds.yaml")
    assert re.findall(r"^helm.sh/hook: (.*)$", text, re.MULTILINE) == ["pre-install,pre-upgrade"]
    objects = re.findall("^kind:", text, re.MULTILINE)
    assert text.count('{{- include "assay.crdHook" . | nindent 4 }}') == len(objects) == 5


@pytest.mark.parametrize("hook", ["crds", "test"])
def test_no_service_and_only_its_own_policy_selects_the_pod_of_a_hook(hook: str) -> None:
    selected = re.compile(rf'"assay.selectorLabels" \(list \S+ "{hook}"\)')
    found = {
        file.name: len(of)
        for file in TEMPLATES.rglob("*.yaml")
        if (of := selected.findall(file.read_text()))
    }
    policy = template(f"{hook}.yaml").partition("kind: NetworkPolicy")[2].partition("---")[0]
    assert found == {f"{hook}.yaml": 2}
    assert selected.search(policy)


def test_each_check_that_scanners_skip_has_its_reason() -> None:
    lines = (TEMPLATES.parent / ".checkov.yaml").read_text().partition("skip-check:\n")[2]
    for line in lines.splitlines():
        assert re.fullmatch(r"  - CKV2?_K8S_\d+ +# [^:]+: .+", line), line
    assert ".checkov.yaml" in (TEMPLATES.parent / ".helmignore").read_text().splitlines()


def test_a_front_end_has_time_to_end_its_calls_after_the_last_connection() -> None:
    endpoint = REPOSITORY / "mcp-frontend/src/main/java/dev/assay/frontend/http/HttpEndpoint.java"
    (stop,) = re.findall(r"Duration\.ofSeconds\((\d+)\)\);", endpoint.read_text())
    deployment = template("frontend/deployment.yaml")
    (wait,) = re.findall(r"preStop:\n +sleep: \{seconds: (\d+)\}", deployment)
    assert "terminationGracePeriodSeconds" not in deployment
    # The default of Kubernetes.
    assert int(wait) + int(stop) < 30


def test_each_admission_policy_fails_closed_and_is_bound_to_deny() -> None:
    policies, _, bindings = template("runs/policies.yaml").partition("{{- range list ")
    names = re.findall(
        r"^kind: ValidatingAdmissionPolicy\nmetadata:\n  name: (\S+)$", policies, re.MULTILINE
    )
    assert len(names) == 4
    assert policies.count("\n  failurePolicy: Fail\n") == len(names)
    bound, _, binding = bindings.partition("}}\n")
    assert re.findall(r'"([^"]+)"', bound) == names
    assert "\n  policyName: {{ . }}\n  validationActions: [Deny]\n" in binding


def test_the_output_store_has_room_for_what_the_operator_transfers_at_once() -> None:
    operator = REPOSITORY / "operator/src/main/java/dev/assay/operator"
    transfer = (operator / "run" / "results" / "ArtifactTransfer.java").read_text()
    (total,) = re.findall(r"MAX_TRANSFERS = (\d+);", transfer)
    (share,) = re.findall(r"MAX_OF_A_NAMESPACE = (\d+);", transfer)
    needed = template("_validate.tpl")
    assert f"min (mul {share} $namespaces) {total}" in needed
    definitions = (operator / "output" / "DefinitionLimit.java").read_text()
    (mebibytes,) = re.findall(r"new DefinitionLimit\((\d+)L << 20\)", definitions)
    assert f"add $each {int(mebibytes) << 20} " in needed


def test_a_quota_is_compared_with_the_pod_that_the_operator_creates() -> None:
    pod = (REPOSITORY / "operator/src/main/java/dev/assay/operator/pod/RunnerPod.java").read_text()
    assert '(96 + 2 * output / (1024 * 1024)) + "Mi"' in pod
    assert 'quantities("50m", supervisorMemory(request))' in pod
    assert 'quantities("1", supervisorMemory(request))' in pod
    amounts = template("_quantities.tpl")
    assert "(add 96 $output)" in amounts
    assert "0.05" in amounts


def test_each_alert_has_a_section_and_names_metrics_that_are_described() -> None:
    rules = (TEMPLATES.parent / "files" / "alerts.yaml").read_text()
    alerts = re.findall(r"^      - alert: (\S+)$", rules, re.MULTILINE)
    page = (REPOSITORY / "docs" / "alerts.md").read_text()
    assert len(alerts) == 10
    assert sorted(re.findall(r"^## (\S+)$", page, re.MULTILINE)) == sorted(alerts)
    runbooks = re.findall(r"^          runbook: (\S+)$", rules, re.MULTILINE)
    assert runbooks == [f"docs/alerts.md#{alert.lower()}" for alert in alerts]
    described = (REPOSITORY / "docs" / "metrics.md").read_text()
    for metric in set(re.findall(r"\b(assay_\w+?)(?:_count)?\b(?=[{) \[])", rules)):
        assert f"`{metric}`" in described, metric
    tested = (REPOSITORY / "e2e/src/test/resources/alerts/tests.yaml").read_text()
    for alert in alerts:
        fires = rf"alertname: {alert}\n        exp_alerts:"
        assert re.search(fires, tested), alert
