"""Lists of components in the format of CycloneDX, one for each image and package."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cluster.commands import run
from cluster.settings import REPOSITORY
from images.java_runtime import version as java_runtime_version

_PLUGIN = "org.cyclonedx:cyclonedx-maven-plugin:2.9.1:makeBom"
_PINNED = re.compile(
    r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)((?:\s*\\\n\s+--hash=sha256:\S+)*)", re.M
)
_HASH = re.compile(r"--hash=sha256:(\S+)")

# The Maven module of each image and package that has Java.
MODULES: Mapping[str, str] = {
    "operator": "operator",
    "mcp-frontend": "mcp-frontend",
    "tool-gateway": "tool-gateway",
    "jvm-runner": "images/jvm-runner",
    "wheel": "cli",
}


def java_components(version: str) -> dict[str, list[dict[str, Any]]]:
    """The libraries of each Java program, with licences, by the names in MODULES."""
    command: list[str | Path] = [REPOSITORY / "mvnw", "-B", "-ntp", "-q", "-f", REPOSITORY]
    command += [
        f"-Drevision={version}",
        "-DskipTests",
        "-DoutputFormat=json",
        "-DschemaVersion=1.6",
    ]
    command += ["-DincludeTestScope=false", "-DoutputDirectory=${project.build.directory}/sbom"]
    run([*command, "-pl", ",".join(MODULES.values()), "-am", "package", _PLUGIN])
    found = {}
    for name, module in MODULES.items():
        bom = json.loads((REPOSITORY / module / "target" / "sbom" / "bom.json").read_text())
        found[name] = sorted(bom["components"], key=lambda component: str(component["bom-ref"]))
    return found


def java_runtime() -> dict[str, Any]:
    """The Java runtime of images and wheel, which no package manager knows."""
    version = java_runtime_version()
    licence = {"expression": "GPL-2.0-only WITH Classpath-exception-2.0"}
    return {"type": "platform", "name": "OpenJDK", "version": version, "licenses": [licence]}


def python_components(requirements: Path) -> list[dict[str, Any]]:
    """The pinned Python libraries, with the digests of their files."""
    return [
        {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "properties": [
                {"name": "assay:sha256", "value": digest} for digest in _HASH.findall(hashes)
            ],
        }
        for name, version, hashes in _PINNED.findall(requirements.read_text())
    ]


def debian_components(packages: Mapping[str, str]) -> list[dict[str, Any]]:
    """The packages of the base image."""
    return [
        {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}",
        }
        for name, version in sorted(packages.items())
    ]


def write(file: Path, name: str, version: str, components: Iterable[Mapping[str, Any]]) -> None:
    """Writes the list of one image or package; the same bytes for the same components."""
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": name, "version": version}},
        "components": list(components),
    }
    file.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
