"""The program that the packages contain: jars without the libraries of other platforms, and a JVM."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import REPOSITORY
from images.java_runtime import ensure_runtime

# The modules that the jars and their libraries need. The flight recorder is not among them: DuckDB's
# driver would prepare it, which is half of a worker's start.
MODULES = (
    "java.base",
    "java.logging",
    "java.management",
    "java.naming",
    "java.net.http",
    "java.sql",
    "java.xml",
    "jdk.crypto.ec",
    "jdk.httpserver",
    "jdk.management",
    "jdk.net",
    "jdk.unsupported",
    "jdk.zipfs",
)
MAVEN_MODULES = "crds,operator,mcp-frontend,tool-gateway,local,images/jvm-runner,cli"
_PLATFORM = "linux_amd64"
# What tells the platforms of DuckDB's libraries apart.
_DUCKDB_LIBRARY = "libduckdb_java.so_"
EPOCH = (1980, 1, 1, 0, 0, 0)


def build_jars(version: str) -> Path:
    """Builds the program; returns the folder with app.jar and lib."""
    command = ["./mvnw", "-B", "-ntp", "-q", "-Pprogram", f"-Drevision={version}"]
    done = subprocess.run([*command, "-pl", MAVEN_MODULES, "package"], cwd=REPOSITORY)
    if done.returncode != 0:
        raise ClusterError("./mvnw package failed; its messages are above")
    step("packaged with Maven")
    return REPOSITORY / "cli" / "target" / "program" / "dist"


def copy_program(jars: Path, target: Path) -> None:
    """Copies what the package `assay` has beside its Python files: jars, JVM and its options."""
    lib = target / "program" / "lib"
    lib.mkdir(parents=True)
    shutil.copyfile(jars / "app.jar", target / "program" / "app.jar")
    for jar in _class_path(jars):
        if jar.name.startswith("duckdb_jdbc"):
            without_other_platforms(jar, lib / jar.name)
        else:
            shutil.copyfile(jar, lib / jar.name)
    shutil.copytree(REPOSITORY / "cli" / "src" / "main" / "options", target / "options")
    # Uncompressed modules: the wheel compresses them better.
    shutil.copytree(ensure_runtime(MODULES, archive=False), target / "runtime", symlinks=False)
    step("copied the program and its Java runtime")


def _class_path(jars: Path) -> list[Path]:
    """The jars that app.jar names: lib may have those of earlier builds, too."""
    with zipfile.ZipFile(jars / "app.jar") as app:
        manifest = app.read("META-INF/MANIFEST.MF").decode().replace("\r\n ", "")
    for line in manifest.splitlines():
        if line.startswith("Class-Path: "):
            return [jars / name for name in sorted(line.split()[1:])]
    raise ClusterError(f"{jars / 'app.jar'} has no Class-Path")


def without_other_platforms(jar: Path, target: Path) -> None:
    """Copies the jar of DuckDB without its libraries for other platforms, always to the same bytes."""
    with zipfile.ZipFile(jar) as source, zipfile.ZipFile(target, "w") as copy:
        for info in source.infolist():
            name = info.filename
            if _DUCKDB_LIBRARY in name and not name.endswith(_PLATFORM):
                continue
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            copy.writestr(entry, source.read(info))
