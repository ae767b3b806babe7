"""What is generated from the values of the chart, and which values the schema accepts."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from chart import CHART
from chart.comments import read_values
from chart.errors import ValuesError
from chart.generated import generated
from chart.readme import readme
from chart.schema import merged, schema_of

DIGEST = "sha256:" + "a" * 64
KEY = {"caller": "alice", "namespace": "assay-runs", "sha256": "0" * 64}
CLASS = {
    "purpose": "Run",
    "resources": {"cpu": "1", "memory": "1Gi"},
    "scratch": {"sizeLimit": "64Mi"},
    "timeouts": {"defaultSeconds": 30, "maxSeconds": 600},
    "output": {"limitBytes": 1048576},
}
COMPONENTS = ("operator", "frontend", "toolGateway")
ACCEPTED: list[tuple[str, Any]] = [
    ("global", {"anything": 1}),
    ("image.registry", "registry.example:5000"),
    ("image.digests", {"operator": DIGEST, "jvm-runner": DIGEST}),
    ("runNamespaces", [{"name": "a"}]),
    ("runNamespaces.0.userIds", {"first": 1000, "last": 2147483647}),
    ("runNamespaces.0.sourceVolumes", [{"name": "a", "claim": "b.c", "subPath": "d/e"}]),
    ("runNamespaces.0.quota", {"pods": 50, "limits.cpu": "100"}),
    ("runNamespaces.0.limitRange", [{"type": "Container", "max": {"memory": "8Gi"}}]),
    ("runNamespaceDefaults.quota", {"pods": 20}),
    ("runNamespaceDefaults.limitRange", [{"type": "Pod", "min": {"cpu": "10m"}}]),
    ("operator.outputStore.checkSize", False),
    ("operator.resources.limits", {"memory": "2Gi", "cpu": 1}),
    ("operator.outputStore.accessModes", ["ReadWriteMany"]),
    ("auth.keys", [KEY]),
    ("auth.keys", [{**KEY, "servers": [], "permissions": [], "shared": "all"}]),
    ("auth.keys", [{**KEY, "servers": ["*"], "expires": "2027-01-31T00:00:00Z"}]),
    ("frontend.toolGroups", ["datasets", "code", "analytics", "runs", "scripts"]),
    ("toolGateway.allowedAddresses", ["10.96.14.7/32", "fd00::/8"]),
    ("classes", {"mine": CLASS}),
    ("classes.mine", None),
    ("classes.mine", {**CLASS, "image": ""}),
    ("classes.mine", {**CLASS, "environment": {"POLARS_MAX_THREADS": "2"}}),
    ("classes.mine", {**CLASS, "tolerations": [{"key": "a", "operator": "Exists"}]}),
    ("classes.mine", {**CLASS, "source": {"maxBytes": 1099511627776}}),
    ("classes.mine.purpose", "Snapshot"),
    ("classes.snapshot-stream.timeouts.maxSeconds", 14400),
    *((f"{each}.affinity", {"nodeAffinity": {}}) for each in COMPONENTS),
    *((f"{each}.extraEnv", [{"name": "A", "value": "b"}]) for each in COMPONENTS),
]
REFUSED: list[tuple[str, Any]] = [
    ("unknown", 1),
    ("crds", {"check": True}),
    ("image.tag", ""),
    ("image.tag", "a b"),
    ("image.registry", "registry.example/path"),
    ("image.digests", {"operator": "latest"}),
    ("image.digests", {"web": DIGEST}),
    ("image.pullPolicy", "Sometimes"),
    ("image.runPullSecrets", ["a"] * 9),
    ("runNamespaces", []),
    ("runNamespaces", [{"create": True}]),
    ("runNamespaces.0.name", "Runs"),
    ("runNamespaces.0.quotas", {}),
    ("runNamespaces.0.quota", {"pods": 1.5}),
    ("runNamespaces.0.limitRange", {"type": "Container"}),
    ("runNamespaceDefaults.limitRange", [{"max": {"memory": "8Gi"}}]),
    ("runNamespaceDefaults.limitRange", [{"type": "Node"}]),
    ("runNamespaceDefaults.create", True),
    ("runNamespaces.0.snapshotVolume.accessModes", ["ReadWriteOncePod"]),
    ("runNamespaces.0.snapshotVolume.accessModes", []),
    ("runNamespaces.0.snapshotVolume.size", "10 GB"),
    ("runNamespaces.0.userIds", {"first": 20000}),
    ("runNamespaces.0.userIds", {"first": 999, "last": 2000}),
    ("runNamespaces.0.sourceVolumes", [{"name": "a"}]),
    ("runNamespaces.0.sourceVolumes", [{"name": "a", "claim": "b", "subPath": "/c"}]),
    ("operator.replicas", 0),
    ("operator.replicas", 6),
    ("operator.replicas", "2"),
    ("operator.runTtlSeconds", 604801),
    ("operator.snapshotCleanup.minAgeSeconds", 299),
    ("operator.outputStore.limits.maxBytesPerNamespace", 1048575),
    ("frontend.podLabel", {"a": "b"}),
    ("frontend.service.type", "ExternalName"),
    ("frontend.service.port", 65536),
    ("frontend.allowedOrigins", ["chat.example.com"]),
    ("frontend.allowedHosts", ["a", "a"]),
    ("frontend.toolGroups", ["all"]),
    ("frontend.toolNames", "dots"),
    ("frontend.limits.maxReplyTokens", 999),
    ("frontend.defaults.timeoutSeconds", 601),
    ("codeExecution.maxParallel", 33),
    ("auth", {"keys": [KEY]}),
    ("auth.mode", "oauth"),
    ("auth.keys", [{"caller": "alice", "namespace": "assay-runs"}]),
    ("auth.keys", [{**KEY, "sha256": "0" * 63}]),
    ("auth.keys", [{**KEY, "caller": "-alice"}]),
    ("auth.keys", [{**KEY, "toolGroups": []}]),
    ("auth.keys", [{**KEY, "permissions": ["admin"]}]),
    ("auth.keys", [{**KEY, "expires": "tomorrow"}]),
    ("auth.keys", [{**KEY, "expire": "2027-01-31T00:00:00Z"}]),
    ("toolGateway.replicas", 21),
    ("toolGateway.credentialNamespace", {"create": True}),
    ("toolGateway.apiServer.addresses", ["api.example"]),
    ("classes", {}),
    ("classes", {"My": CLASS}),
    ("classes.mine", {}),
    ("classes.mine.unknown", 1),
    ("classes.mine.purpose", "Test"),
    ("classes.mine.languages", ["ruby"]),
    ("classes.mine.allowedNamespaces", []),
    ("classes.mine.resources", {"cpu": "1"}),
    ("classes.mine.resources.memory", 1024),
    ("classes.mine.scratch.medium", "Tape"),
    ("classes.mine.timeouts.maxSeconds", 601),
    ("classes.mine.output.limitBytes", 67108865),
    ("classes.mine.artifacts", {"maxCount": 129}),
    ("classes.mine.guard", {"allowedModules": ["a.b"]}),
    ("classes.mine.environment", {"LD_PRELOAD": "a"}),
    ("classes.mine.environment", {"1A": "a"}),
    ("classes.mine.warmPool", {"min": 101}),
    ("classes.mine.warmPool", {"size": 1}),
    ("classes.mine.egressCheck", "Off"),
    ("classes.mine.tools", {"permissions": ["read", "read"]}),
    *((f"{each}.podLabels", {"a": 1}) for each in COMPONENTS),
    *((f"{each}.resources", {"request": {}}) for each in COMPONENTS),
    *((f"{each}.extraVolumes", [{"emptyDir": {}}]) for each in COMPONENTS),
    *((f"{each}.tolerations", ["a"]) for each in COMPONENTS),
]


def values_with(path: str, value: Any) -> dict[str, Any]:
    """The values of the chart with a class "mine" and one other value."""
    values: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    values["classes"]["mine"] = copy.deepcopy(CLASS)
    *parents, name = path.split(".")
    parent: Any = values
    for step in parents:
        parent = parent[int(step)] if isinstance(parent, list) else parent.setdefault(step, {})
    parent[name] = value
    return values


def refusals(values: dict[str, Any]) -> list[str]:
    schema = json.loads((CHART / "values.schema.json").read_text())
    return [error.message for error in Draft7Validator(schema).iter_errors(values)]


@pytest.mark.parametrize("file", ["values.schema.json", "README.md"])
def test_what_is_generated_is_up_to_date(file: str) -> None:
    assert (CHART / file).read_text() == generated(CHART)[CHART / file], "run dev/chart"


@pytest.mark.parametrize(("path", "value"), ACCEPTED)
def test_a_value_is_accepted(path: str, value: Any) -> None:
    assert refusals(values_with(path, value)) == []


@pytest.mark.parametrize(("path", "value"), REFUSED)
def test_a_value_is_refused(path: str, value: Any) -> None:
    assert refusals(values_with(path, value))


@pytest.mark.parametrize("path", ["image", "runNamespaces", "operator", "auth", "classes"])
def test_a_value_must_be_there(path: str) -> None:
    values = values_with("global", {})
    del values[path]
    assert refusals(values)


def test_the_values_of_the_development_cluster_are_accepted() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    assert refusals(merged(values, yaml.safe_load((CHART / "values-dev.yaml").read_text()))) == []


def test_the_schema_is_one_that_validators_know() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    Draft7Validator.check_schema(schema)


def schema_from(text: str) -> dict[str, Any]:
    return schema_of(read_values(text), Path("none"))


def test_a_comment_describes_its_value_without_examples_and_annotations() -> None:
    text = "# How\n# many.\n#   count: 2\n# @schema {minimum: 1}\ncount: 1\n"
    assert schema_from(text)["properties"]["count"] == {
        "type": "integer",
        "minimum": 1,
        "description": "How many.",
    }


def test_a_comment_that_ends_a_mapping_does_not_describe_the_next_value() -> None:
    schema = schema_from("a:\n  b: true\n  # c: true\nd: true\n")
    assert schema["properties"]["d"] == {"type": "boolean"}


def test_a_value_is_of_the_type_with_its_name_and_no_other_name_is_accepted() -> None:
    schema = schema_from("a:\n  labels: {}\n# @define labels {type: object}\n")
    assert schema["properties"]["a"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"labels": {"$ref": "#/$defs/labels"}},
    }
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a: {}", "a: nothing says what it may contain"),
        ("a: []", "a: nothing says what it may contain"),
        ("# @schema {$ref: b}\na: 1", "b is not defined"),
        ("a: 1\n# @define b {type: object}", "@define b is not used"),
        ("# @schema {\na: 1", "@schema"),
        ("# @schema\na: 1", "@schema contains no mapping"),
    ],
)
def test_a_value_without_a_type_is_an_error(text: str, named: str) -> None:
    with pytest.raises(ValuesError, match=re.escape(named)):
        schema_from(text)


def test_the_page_has_the_fields_of_lists_and_of_any_key() -> None:
    text = (
        "# Keys, see docs/a.md.\n# @schema {items: {$ref: key}}\nkeys: []\n"
        "# @schema {type: object, additionalProperties: {$ref: key}}\nby: {}\n"
        "# @define key {properties: {id: {type: string, description: Which | whose.}}}\n"
    )
    values = read_values(text)
    page = readme(values, schema_of(values, Path("none")))
    assert "\nKeys, see [docs/a.md](../../docs/a.md).\n" in page
    assert "\n| `keys[].id` |  | Which \\| whose. |\n" in page
    assert "\n| `by.NAME.id` |  | Which \\| whose. |\n" in page


def test_a_value_without_a_description_is_an_error() -> None:
    values = read_values("a:\n  b: 1\n")
    with pytest.raises(ValuesError, match=r"a\.b has no description"):
        readme(values, schema_of(values, Path("none")))
