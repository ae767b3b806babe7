"""Builds the image of docs/tool-servers.md: a server that speaks stdio, behind the bridge."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY
from e2e.clients import Outside
from e2e.errors import E2eError
from images import bases, buildah, delivery, recipe
from images.catalog import Base

_SCENARIO = "ToolRecipeE2E"
_RECIPE = recipe.STDIO_SERVER
_TAG = "dev"
_COMMAND = REPOSITORY / "cli" / "target" / "dist"


def is_wanted(pattern: str) -> bool:
    """Whether the scenario of the recipe is among those that fit a pattern of Surefire."""
    return any(
        fnmatchcase(_SCENARIO, part.partition("#")[0].strip()) for part in pattern.split(",")
    )


def load(outside: Outside) -> None:
    """Builds the image from the command `assay` and the pinned server, and loads it."""
    _package()
    try:
        with buildah.exclusive(), tempfile.TemporaryDirectory() as scratch:
            context = Path(scratch)
            shutil.copytree(_COMMAND, context / "assay")
            shutil.copytree(outside.clients / "stdio", context / "server", symlinks=True)
            base = bases.choose(Base.JAVA, bases.Choice.AUTO)
            reference = recipe.build(_RECIPE, base, _TAG, context)
            repository = f"assay/{_RECIPE.name}"
            delivery.load(DEFAULT_CONTEXT, _RECIPE.name, repository, _TAG, reference)
    except ClusterError as failure:
        raise E2eError(str(failure)) from failure
    step(f"built and loaded {repository}:{_TAG}")


def _package() -> None:
    command = ["./mvnw", "-q", "-B", "-pl", "cli", "-am", "package", "-DskipTests"]
    if subprocess.run(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL).returncode != 0:
        raise E2eError("the command assay could not be packaged; Maven's messages are above")
