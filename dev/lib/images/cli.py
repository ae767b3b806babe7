"""Command line of dev/images."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cluster.errors import ClusterError
from cluster.packages import IMAGE_PROGRAMS, ensure_packages
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY
from images import bases, buildah, class_archives, delivery, java_runtime
from images.catalog import IMAGES, JVM_RUNNER, Base, Image, build_arguments, choose


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/images",
        description="Builds the project's images and loads them into a cluster.",
    )
    add = parser.add_argument
    add(
        "--context",
        default=DEFAULT_CONTEXT,
        help="cluster to load into; kind-NAME and k3d-NAME use those tools (default: %(default)s)",
    )
    add(
        "--only",
        action="append",
        choices=[image.name for image in IMAGES if image.is_delivered],
        metavar="NAME",
        help="build this image only; may be repeated",
    )
    add("--tag", default="dev", help="tag of the images (default: %(default)s)")
    add(
        "--bases",
        default="auto",
        choices=[choice.value for choice in bases.Choice],
        help="where base images come from (default: %(default)s)",
    )
    add(
        "--packages",
        default="",
        help="further Python packages of the runner, such as 'prophet==1.5.0'",
    )
    add("--push", metavar="REGISTRY", help="push to this registry instead of loading")
    add("--no-load", action="store_true", help="build only")
    add("--revision", default="", help="the version that programs report; by default the sources'")
    add(
        "--reproducible",
        type=int,
        metavar="SECONDS",
        help="build all layers again, with this time since 1970 for all files",
    )
    add(
        "--class-archives",
        type=Path,
        metavar="FOLDER",
        help="class archives of an earlier release of this version, instead of new ones",
    )
    add("--skip-maven", action="store_true", help="use existing distributions")
    return parser


def _package_with_maven(images: Sequence[Image], revision: str) -> None:
    modules = [image.module for image in images if image.module]
    if not modules:
        return
    command = ["./mvnw", "-q", "-DskipTests", "-pl", ",".join(modules), "-am", "package"]
    if revision:
        command.append(f"-Drevision={revision}")
    done = subprocess.run(command, cwd=REPOSITORY)
    if done.returncode != 0:
        raise ClusterError("./mvnw package failed; its messages are above")
    step("packaged with Maven")


def _build_all(options: argparse.Namespace) -> None:
    images = choose(options.only)
    if not options.skip_maven:
        _package_with_maven(images, options.revision)
    if options.class_archives:
        class_archives.require(options.class_archives, class_archives.programs())
    with _build_options(options) as more:
        for image in images:
            _build(image, options, more)


@contextmanager
def _build_options(options: argparse.Namespace) -> Iterator[list[str]]:
    """The options of a build that has to give the same bytes each time."""
    if options.reproducible is None:
        yield []
        return
    with tempfile.TemporaryDirectory() as none:
        # Always mounted: a mount leaves its directory in the image.
        archives = (options.class_archives or Path(none)).resolve()
        mount = f"{archives}:{class_archives.IN_BUILD}:ro"
        yield ["--no-cache", "--timestamp", str(options.reproducible), "--volume", mount]


def _build(image: Image, options: argparse.Namespace, more: Sequence[str]) -> None:
    if not image.context.is_dir():
        raise ClusterError(f"{image.context.relative_to(REPOSITORY)} is missing: run Maven")
    reference = f"localhost/{image.repository}:{options.tag}"
    if image.name == JVM_RUNNER:
        java_runtime.link_worker_runtime(image.context / "jre")
    base = (
        bases.choose(image.base, bases.Choice(options.bases))
        if isinstance(image.base, Base)
        else f"localhost/assay/{image.base}:{options.tag}"
    )
    arguments = build_arguments(image, base, options.tag, options.packages)
    buildah.build(image.name, image.containerfile, image.context, reference, arguments, more)
    step(f"built {image.repository}:{options.tag}")
    if not image.is_delivered:
        return
    if options.push:
        delivery.push(options.push, image.repository, options.tag, reference)
    elif not options.no_load:
        delivery.load(options.context, image.name, image.repository, options.tag, reference)


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds and delivers; returns the exit status."""
    options = _parser().parse_args(arguments)
    # Other users read the files of an image.
    os.umask(0o022)
    try:
        ensure_packages(IMAGE_PROGRAMS)
        if options.push and options.no_load:
            raise ClusterError("--push and --no-load are mutually exclusive")
        if options.class_archives and options.reproducible is None:
            raise ClusterError("--class-archives requires --reproducible SECONDS")
        with buildah.exclusive():
            _build_all(options)
    except ClusterError as failure:
        print(f"dev/images: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
