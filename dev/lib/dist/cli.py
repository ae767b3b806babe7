"""Command line of dev/dist."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import REPOSITORY
from dist import trial
from dist.archive import write_archive
from dist.program import build_jars, copy_program
from dist.requirements import pinned
from dist.wheel import Metadata, write_wheel

_VERSION = re.compile(r"^\d+\.\d+\.\d+(?:(?:a|b|rc|\.dev)\d+)?$")
# The oldest glibc of the libraries in the jars, rounded up to a tag that installers know.
_TAG = "py3-none-manylinux_2_31_x86_64"
# Ours and those of the jars' libraries, and that of the Java runtime.
_LICENCE = (
    "Apache-2.0 AND MIT AND BSD-3-Clause AND EPL-2.0 AND GPL-2.0-only WITH Classpath-exception-2.0"
)
_SUMMARY = "One MCP endpoint where agents run SQL and Python over your tables, on this machine"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/dist",
        description="Makes the packages for one machine: a wheel for Linux on x86-64, and an archive"
        " with the libraries inside. The same sources give the same bytes.",
    )
    parser.add_argument("--version", default=development_version(), help="by default %(default)s")
    parser.add_argument(
        "--output", type=Path, default=REPOSITORY / "dist", help="a folder, by default dist"
    )
    parser.add_argument("--no-archive", action="store_true", help="make the wheel only")
    parser.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="use each package afterwards, without a network and without a JDK",
    )
    return parser


def development_version() -> str:
    """The version of the sources, as Python packages write it."""
    found = re.search(r"<revision>([^<]+)-SNAPSHOT</revision>", (REPOSITORY / "pom.xml").read_text())
    assert found
    return f"{found[1]}.dev0"


def metadata(version: str) -> Metadata:
    """What the wheel says of itself."""
    return Metadata(
        name="assay",
        version=version,
        tag=_TAG,
        summary=_SUMMARY,
        requires_python=">=3.11",
        requirements=pinned(REPOSITORY / "images" / "runner" / "requirements.txt"),
        entry_points={"assay": "assay.__main__:main"},
        license_files=(REPOSITORY / "LICENSE",),
        licence=_LICENCE,
        readme=(REPOSITORY / "cli" / "src" / "main" / "python" / "README.md").read_text(),
    )


def build(version: str, output: Path, with_archive: bool) -> list[Path]:
    """Makes the packages; returns their paths."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".dist-", dir=output) as name:
        scratch = Path(name)
        package = scratch / "packages" / "assay"
        sources = REPOSITORY / "cli" / "src" / "main" / "python" / "assay"
        shutil.copytree(sources, package, ignore=shutil.ignore_patterns("__pycache__"))
        copy_program(build_jars(version), package)
        wheel = write_wheel(metadata(version), scratch / "packages", output)
        step(f"wrote {wheel.name}, {wheel.stat().st_size / 1e6:.0f} MB")
        if not with_archive:
            return [wheel]
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        archive = write_archive(wheel, f"assay-{version}-linux-x86_64-{python}", scratch, output)
        return [wheel, archive]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if not _VERSION.match(options.version):
            raise ClusterError(f"--version {options.version} is not a version such as 0.2.0")
        if options.trial:
            trial.prepare()
        packages = build(options.version, options.output.resolve(), not options.no_archive)
        if options.trial:
            with tempfile.TemporaryDirectory(prefix="assay-try-") as scratch:
                # Code runs as another user, and reads the libraries.
                Path(scratch).chmod(0o755)
                trial.try_wheel(packages[0], Path(scratch))
                if len(packages) > 1:
                    trial.try_archive(packages[1], Path(scratch))
    except ClusterError as error:
        print(f"dev/dist: {error}", file=sys.stderr)
        return 1
    return 0
