"""What the templates of the chart must contain."""

from __future__ import annotations

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "helm" / "assay" / "templates"


def template(name: str) -> str:
    return (TEMPLATES / name).read_text()


def test_nothing_but_their_own_policy_refuses_run_pods_at_the_front_end() -> None:
    policy = template("frontend/networkpolicy.yaml")
    assert len(re.findall("^kind:", policy, re.MULTILINE)) == 1
    assert "policyTypes: [Ingress]" in policy
    _, _, ingress = policy.partition("\n  ingress:\n")
    assert ingress == "    - ports:\n        - protocol: TCP\n          port: 8787\n{{- end }}\n"


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
    validation = template("_helpers.tpl")
    for field in named:
        assert f'"{field}" .Values.{field}' in validation


def test_policies_name_ipv6_only_where_a_value_asks_for_it() -> None:
    for policy in TEMPLATES.rglob("networkpolic*.yaml"):
        text = policy.read_text()
        asked = re.sub(
            r"\{\{- if \.Values\.toolGateway\.ipv6 \}\}.*?\{\{- end \}\}", "", text, flags=re.DOTALL
        )
        assert not re.search(r"[0-9a-f]::", asked), policy.name
