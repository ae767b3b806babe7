"""Command line of dev/release."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cluster.commands import run
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import REPOSITORY
from dist import cli as dist
from images.catalog import IMAGES, JVM_RUNNER, RUNNER
from release import chart, sbom, signing, sources, trial
from release.images import Registry, debian_packages, mounted, release_images

_VERSION = re.compile(r"^\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?$")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/release",
        description="Makes a release of a clean checkout of its tag: pushes images and chart to a"
        " registry, and writes packages, components, notes and checksums. Needs root.",
    )
    parser.add_argument("version", metavar="VERSION", help="such as 0.2.0; HEAD has the tag v0.2.0")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--registry", metavar="HOST[/PATH]", help="with your login")
    where.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="push to a registry of its own, and check it",
    )
    parser.add_argument("--insecure", action="store_true", help="the registry has no TLS")
    parser.add_argument("--key", type=Path, help="a private key in PEM, to sign the checksums")
    parser.add_argument(
        "--class-archives",
        type=Path,
        metavar="FOLDER",
        help="those of an earlier build of this version, to give the same bytes",
    )
    parser.add_argument("--output", type=Path, help="a new folder, by default dist/VERSION")
    return parser


def python_version(version: str) -> str:
    """The version as Python packages write it."""
    return re.sub(
        r"-(alpha|beta|rc)\.",
        lambda found: {"alpha": "a", "beta": "b"}.get(found[1], "rc"),
        version,
    )


def _write_components(version: str, digests: Mapping[str, str], output: Path) -> None:
    java = sbom.java_components(version)
    python = sbom.python_components(REPOSITORY / "images" / "runner" / "requirements.txt")
    for image in (image for image in IMAGES if image.name in digests):
        with mounted(image, version) as root:
            debian = sbom.debian_components(debian_packages(root))
        programs = java.get(image.name, [])
        runtime = [sbom.java_runtime()] if programs else []
        libraries = python if image.name in (RUNNER, JVM_RUNNER) else []
        file = output / f"{image.name}.cdx.json"
        components = [*runtime, *programs, *libraries, *debian]
        sbom.write(file, image.repository, digests[image.name], components)
    wheel = [sbom.java_runtime(), *java["wheel"], *python]
    sbom.write(output / "wheel.cdx.json", "assay", version, wheel)
    step("listed the components of each image and package")


def _release(options: argparse.Namespace) -> Path:
    """Makes the release; returns its folder."""
    version: str = options.version
    if not _VERSION.match(version):
        raise ClusterError(f"{version} is not a version such as 0.2.0 or 0.3.0-rc.1")
    registry = Registry.of(options.registry, options.insecure)
    if options.key:
        signing.require_key(options.key)
    output = (options.output or REPOSITORY / "dist" / version).resolve()
    if output.exists():
        raise ClusterError(f"{output} exists: remove it, or choose another --output")
    sources.require_tag(version, REPOSITORY)
    notes = sources.notes(version, REPOSITORY)
    output.mkdir(parents=True)
    (output / "NOTES.md").write_text(notes)
    shutil.copyfile(REPOSITORY / "LICENSE", output / "LICENSE")
    dist.build(python_version(version), output, with_archive=True)
    run([REPOSITORY / "client" / "wheel", output, python_version(version)])
    digests = release_images(version, registry, output, options.class_archives)
    with tempfile.TemporaryDirectory(prefix="assay-release-") as name:
        scratch = Path(name)
        packaged = chart.package(version, registry, digests, scratch, output)
        _write_components(version, digests, output)
    pushed = [f"{registry.repository(image)}@{digest}" for image, digest in digests.items()]
    pushed.append(chart.push(packaged, registry))
    (output / "PUSHED").write_text("\n".join([*pushed, ""]))
    sums = signing.write_checksums(output)
    if options.key:
        signing.sign(sums, options.key)
    step(f"release {version} is in {output}")
    return output


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.trial:
            with (
                tempfile.TemporaryDirectory(prefix="assay-registry-") as scratch,
                trial.registry(Path(scratch)) as address,
            ):
                options.registry, options.insecure = address, True
                trial.check(_release(options))
        else:
            _release(options)
    except ClusterError as error:
        print(f"dev/release: {error}", file=sys.stderr)
        return 1
    return 0
