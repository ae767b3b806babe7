"""Which tests `./mvnw verify` leaves out, and that `-Pfull` leaves out none."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from cluster.settings import REPOSITORY

NAMESPACE = {"m": "http://maven.apache.org/POM/4.0.0"}
# What the build knows: any other tag, or one that is misspelled, would choose nothing.
TAGS = {"slow", "core", "full", "local", "warm"}
TAG = re.compile(r'@Tag\("([^"]*)"\)')


def poms() -> Iterator[tuple[Path, ET.Element]]:
    for file in sorted(REPOSITORY.glob("**/pom.xml")):
        if "target" not in file.parts:
            yield file, ET.parse(file).getroot()


def test_only_one_property_leaves_tests_out_and_the_full_profile_empties_it() -> None:
    root = ET.parse(REPOSITORY / "pom.xml").getroot()
    assert root.findtext("m:properties/m:tests.excluded", namespaces=NAMESPACE) == "slow"
    full = root.find("m:profiles/m:profile[m:id='full']", NAMESPACE)
    assert full is not None
    assert not full.findtext("m:properties/m:tests.excluded", namespaces=NAMESPACE)
    for file, pom in poms():
        found = [element.text for element in pom.findall(".//m:excludedGroups", NAMESPACE)]
        is_root = file.parent == REPOSITORY
        assert found == (["${tests.excluded}"] if is_root else []), file
        assert is_root or pom.find("m:properties/m:tests.excluded", NAMESPACE) is None, file


def test_scenarios_that_verify_leaves_out_are_for_the_cluster() -> None:
    pom = ET.parse(REPOSITORY / "e2e" / "pom.xml").getroot()
    tags = pom.findtext("m:properties/m:e2e.tags", namespaces=NAMESPACE)
    # dev/e2e --all runs the rest, which is `core | full`.
    assert tags == "local | (!core & !full)"


def test_each_tag_of_a_java_test_is_one_that_the_build_knows() -> None:
    found = {
        tag
        for file in REPOSITORY.glob("**/src/test/java/**/*.java")
        for tag in TAG.findall(file.read_text())
    }
    assert found == TAGS


def test_ci_runs_every_test() -> None:
    assert "verify -Pfull" in (REPOSITORY / ".ci" / "run").read_text()
    assert "--without=${tests.excluded}" in (REPOSITORY / "images" / "pom.xml").read_text()
