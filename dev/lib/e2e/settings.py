"""Names and places that the end-to-end tests use."""

from __future__ import annotations

import os
from pathlib import Path

from cluster import settings as cluster
from cluster.settings import REPOSITORY, cache_root

RELEASE = "assay"
SYSTEM_NAMESPACE = cluster.SYSTEM_NAMESPACE
RUN_NAMESPACE = "assay-runs"
# Of the tool servers; it outlives an uninstall.
CREDENTIAL_NAMESPACE = "assay-tool-credentials"
CALLERS = ("e2e", "e2e-other")
# The one tool server that the key of the other caller grants, and only to read.
GRANTED_SERVER = "counting-granted"

# The claim and volume of this name are what values-dev.yaml declares.
SOURCE_CLAIM = "shared-data"

RUNNER = REPOSITORY / "images" / "runner"
CHART = REPOSITORY / "helm" / "assay"
MODULE = REPOSITORY / "e2e"
CLIENTS = MODULE / "clients"
REPORTS = MODULE / "target" / "surefire-reports"
SCENARIOS = MODULE / "src" / "test" / "java" / "dev" / "assay" / "e2e"
# Of a full run; what shards are balanced by.
DURATIONS = MODULE / "durations.json"
WORK = REPOSITORY / ".dev"
MAVEN_LOG = WORK / "e2e-maven.log"
# Of full runs, by commit.
RESULTS = WORK / "e2e-results"
DIAGNOSTICS = WORK / "e2e-diagnostics.txt"
AUDIT_LOG = cluster.Paths(cluster.DEFAULT_CONTEXT).audit_log


def environment() -> dict[str, str]:
    """The caller's environment with the cluster's kubeconfig and programs in front."""
    path = os.pathsep.join((str(WORK / "bin"), os.environ.get("PATH", "")))
    return {**os.environ, "KUBECONFIG": str(WORK / "kubeconfig"), "PATH": path}


def cache() -> Path:
    """Where outside clients and data are kept between runs, outside any work tree."""
    return cache_root() / "e2e"
