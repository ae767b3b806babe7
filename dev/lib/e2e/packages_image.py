"""Builds the image of docs/run-classes.md, and tests it with the conformance kit in real Pods."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY
from e2e import settings
from e2e.commands import kubectl
from e2e.scenarios import Outcome
from images import buildah, delivery, recipe

_KIT = REPOSITORY / "images" / "protocol" / "conformance"
_NAMESPACE = "conformance"
_TAG = "dev"
_NAME = recipe.MORE_PACKAGES.name
_LAST_LINES = 6


def run() -> Outcome:
    """Builds, loads and tests the image."""
    started = time.monotonic()
    try:
        _load()
        failure = _test()
    except ClusterError as error:
        failure = str(error)
    seconds = time.monotonic() - started
    return Outcome("recipe", "an image with more packages conforms", not failure, seconds, failure)


def _load() -> None:
    with buildah.exclusive(), tempfile.TemporaryDirectory() as context:
        base = f"localhost/assay/runner:{_TAG}"
        reference = recipe.build(recipe.MORE_PACKAGES, base, _TAG, Path(context))
        step(f"built assay/{_NAME}:{_TAG}")
        delivery.load(DEFAULT_CONTEXT, _NAME, f"assay/{_NAME}", _TAG, reference)


def _test() -> str:
    """Runs the kit; returns its last lines, or nothing if the image conforms."""
    image = f"docker.io/assay/{_NAME}:{_TAG}"
    launch = f"python3 {_KIT / 'launch_pod.py'} {image}"
    kubectl("create", "namespace", _NAMESPACE)
    try:
        done = subprocess.run(
            [_KIT / "run", "--namespace", _NAMESPACE, "--launch", launch],
            env=settings.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    finally:
        kubectl("delete", "namespace", _NAMESPACE, "--wait=false")
    return "" if done.returncode == 0 else "\n".join(done.stdout.splitlines()[-_LAST_LINES:])
