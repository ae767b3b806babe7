"""The protocol's text, its schemas and the runner's code agree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import assay_runner
from assay_runner.options import FORMATS
from assay_runner.supervisor import requests
from assay_runner.supervisor.api import FEATURES, PROTOCOL, PROTOCOLS
from assay_runner.supervisor.ending import Outcome
from assay_runner.supervisor.jobs import KINDS
from assay_runner.supervisor.phases import State
from assay_runner.supervisor.refusals import Code
from assay_runner.workers import WORKERS
from messages import REFUSALS, SCHEMAS, Messages, parts

README = (SCHEMAS.parent / "README.md").read_text()
CLOSED = Messages(closed=True)
SCHEMA_NAMES = sorted(path.name.removesuffix(".json") for path in SCHEMAS.glob("*.json"))


def schema(name: str) -> dict[str, object]:
    value: dict[str, object] = json.loads((SCHEMAS / f"{name}.json").read_text())
    return value


def section(title: str) -> str:
    start = README.index(f"# {title}\n")
    return README[start : README.find("\n#", start)]


def rows(text: str) -> Iterator[list[str]]:
    """The cells of each row of the tables in a text, their heads left out."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        for line in table.splitlines()[2:]:
            yield [cell.strip() for cell in line.strip("|").split("|")]


def words(text: str) -> set[str]:
    """What stands in backticks; code blocks do not count."""
    return set(re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_each_schema_is_one_and_is_named_as_its_file(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert str(schema(name)["$id"]).endswith(f"/v{PROTOCOL}/{name}.json")


EXAMPLES = [
    (name, line)
    for name, block in re.findall(r"```json([^\n]*)\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_each_example_of_the_text_fits_its_schema(name: str, line: str) -> None:
    CLOSED.check(name.strip(), json.loads(line))


def test_each_kind_of_message_that_has_members_has_an_example() -> None:
    shown = {name.strip() for name, _ in EXAMPLES}
    assert {"answer-hello", "refusal", "job", "event", "snapshot", "log-line"} <= shown


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_the_text_documents_each_member(name: str) -> None:
    documented = {word for text in words(README) for word in re.findall(r"[A-Za-z0-9]+", text)}
    documented |= {word for _, line in EXAMPLES for word in re.findall(r'"([A-Za-z0-9]+)":', line)}
    members = {
        member
        for part in parts(schema(name))
        if isinstance(part.get("required"), list)
        for member in part["properties"]
    }
    assert members <= documented


def test_refusals_are_the_same_everywhere() -> None:
    documented: dict[str, int] = {}
    for statuses, codes, _ in rows(section("Refusals")):
        listed = [int(status) for status in statuses.split(", ")]
        names = re.findall(r"`(\w+)`", codes)
        documented.update(zip(names, listed * (len(names) // len(listed)), strict=True))
    in_schema = schema("refusal")["properties"]["error"]["properties"]["code"]["enum"]  # type: ignore[index]
    assert documented == REFUSALS == {code.text: code.status for code in Code}
    assert sorted(in_schema) == sorted(REFUSALS)


def test_outcomes_are_the_same_everywhere() -> None:
    documented = [
        words(outcome).pop() for outcome, _ in rows(section("Events")) if outcome[1:2].isupper()
    ]
    in_schema = schema("event")["$defs"]["result"]["properties"]["outcome"]["enum"]  # type: ignore[index]
    assert documented == in_schema == [outcome.value for outcome in Outcome]


def test_types_of_events_are_the_same_everywhere() -> None:
    documented = {words(kind).pop() for kind, _ in rows(section("Events")) if kind[1:2].islower()}
    in_schema = {str(option["$ref"]).rpartition("/")[2] for option in schema("event")["oneOf"]}  # type: ignore[attr-defined]
    assert documented | {"ping"} == in_schema


def test_states_are_the_same_everywhere() -> None:
    states = schema("common")["$defs"]["state"]["enum"]  # type: ignore[index]
    assert states == [state.value for state in State]
    assert set(states) <= words(section("`GET /v1/hello`"))


def test_signed_requests_are_the_same_everywhere() -> None:
    documented = {}
    for request, further, _ in rows(section("Signed requests")):
        documented[request.rpartition("/")[2].strip("`")] = words(further)
    in_schema = {}
    for name in SCHEMA_NAMES:
        if name.startswith("request-"):
            members = set(schema(name)["properties"]) - {"op"}  # type: ignore[call-overload]
            in_schema[name.removeprefix("request-")] = members
    assert documented == in_schema
    assert set(documented) == set(requests.OPERATIONS)


def test_kinds_of_jobs_are_the_same_everywhere() -> None:
    in_schema = [str(kind["$ref"]).rpartition("/")[2] for kind in schema("job")["oneOf"]]  # type: ignore[attr-defined]
    in_table = [kind for worker in WORKERS.values() for kind in worker.kinds]
    assert in_schema == in_table == list(KINDS)
    assert all(name in words(section("The Pod")) for name in WORKERS)


def test_formats_of_sources_are_the_same_everywhere() -> None:
    in_schema = schema("job")["$defs"]["source"]["properties"]["format"]["enum"]  # type: ignore[index]
    documented = re.search(r"A `source` has a `format`: ([^;]*);", README)
    assert documented is not None
    assert in_schema == list(FORMATS) == re.findall(r"`(\w+)`", documented[1])


def test_features_are_the_same_in_text_and_code() -> None:
    assert set(FEATURES) <= words(section("Versions"))


def test_the_runner_speaks_the_version_that_the_text_is_of() -> None:
    assert README.startswith(f"# The runner protocol, version {PROTOCOL}\n")
    assert PROTOCOL in PROTOCOLS


def test_the_environment_is_the_same_in_text_and_code() -> None:
    name = re.compile(r"\bASSAY_[A-Z_]+\b")
    sources = Path(assay_runner.__file__).parent.rglob("*.py")
    assert set(name.findall(README)) == {
        found for source in sources for found in name.findall(source.read_text())
    }
