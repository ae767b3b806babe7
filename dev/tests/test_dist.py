"""The packages for one machine: what they contain, and how their command starts."""

from __future__ import annotations

import base64
import hashlib
import os
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml

from assay.libraries import IncompatibleLibrariesError, library_folders
from assay.program import Program, kind_of
from cluster.settings import REPOSITORY
from dist import program
from dist.archive import pack
from dist.cli import development_version, main
from dist.cli import metadata as wheel_metadata
from dist.program import without_other_platforms
from dist.requirements import pinned
from dist.wheel import Metadata, write_wheel


def _wheel(directory: Path, packages: Path) -> Path:
    licence = packages.parent / "LICENSE"
    licence.write_text("free")
    directory.mkdir()
    return write_wheel(
        Metadata(
            name="an-example",
            version="1.2.3",
            tag="py3-none-any",
            summary="Shows",
            requires_python=">=3.11",
            requirements=("numpy==2.4.6",),
            entry_points={"example": "example:main"},
            license_files=(licence,),
            readme="# Example\n",
        ),
        packages,
        directory,
    )


def _packages(tmp_path: Path) -> Path:
    package = tmp_path / "packages" / "example"
    (package / "bin").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "bin" / "java").write_bytes(b"\x7fELF")
    (package / "bin" / "java").chmod(0o755)
    return tmp_path / "packages"


def test_a_wheel_records_the_digest_of_each_file_and_keeps_what_is_executable(
    tmp_path: Path,
) -> None:
    wheel = zipfile.ZipFile(_wheel(tmp_path / "one", _packages(tmp_path)))

    record = wheel.read("an_example-1.2.3.dist-info/RECORD").decode().splitlines()

    assert sorted(line.split(",")[0] for line in record) == sorted(wheel.namelist())
    for line in record:
        name, digest, size = line.rsplit(",", 2)
        if not name.endswith("RECORD"):
            content = wheel.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            assert (digest, size) == ("sha256=" + expected.rstrip("="), str(len(content)))
    assert wheel.getinfo("example/bin/java").external_attr >> 16 == 0o100755
    assert wheel.getinfo("example/__init__.py").external_attr >> 16 == 0o100644
    assert b"Requires-Dist: numpy==2.4.6\n" in wheel.read("an_example-1.2.3.dist-info/METADATA")


def test_the_same_files_give_the_same_wheel_whatever_their_times(tmp_path: Path) -> None:
    packages = _packages(tmp_path)
    one = _wheel(tmp_path / "one", packages)
    (packages / "example" / "__init__.py").touch()
    other = _wheel(tmp_path / "other", packages)

    assert one.read_bytes() == other.read_bytes()


def test_the_jar_of_the_engine_keeps_the_library_of_this_platform_only(tmp_path: Path) -> None:
    jar = tmp_path / "duckdb.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("org/duckdb/DuckDBDriver.class", b"class")
        for platform in ("linux_amd64", "linux_arm64", "macos_arm64", "windows_amd64"):
            made.writestr(f"libduckdb_java.so_{platform}", platform)

    without_other_platforms(jar, tmp_path / "small.jar")

    assert zipfile.ZipFile(tmp_path / "small.jar").namelist() == [
        "org/duckdb/DuckDBDriver.class",
        "libduckdb_java.so_linux_amd64",
    ]


def test_the_wheel_requires_the_libraries_of_the_image_in_the_same_versions() -> None:
    requirements = wheel_metadata("0.2.0").requirements

    assert requirements == pinned(REPOSITORY / "images" / "runner" / "requirements.txt")
    assert {"pandas", "numpy", "duckdb", "pyarrow"} <= {
        name.split("==")[0] for name in requirements
    }
    assert all(name.count("==") == 1 and " " not in name for name in requirements)


def test_the_sources_have_one_version() -> None:
    version = development_version()
    chart = yaml.safe_load((REPOSITORY / "helm" / "assay" / "Chart.yaml").read_text())
    client = (REPOSITORY / "client" / "src" / "assay_client" / "__init__.py").read_text()

    assert version == f"{chart['version']}.dev0" == f"{chart['appVersion']}.dev0"
    assert f'__version__ = "{version}"' in client


def test_a_packed_folder_is_the_same_bytes_whatever_its_times_and_owner(tmp_path: Path) -> None:
    home = tmp_path / "assay-1"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "assay").write_text("#!/bin/sh\n")
    (home / "bin" / "assay").chmod(0o744)
    (home / "link").symlink_to("bin/assay")
    pack(home, tmp_path / "one.tar.gz")
    os.utime(home / "bin" / "assay", (1, 1))
    (home / "bin").chmod(0o700)
    pack(home, tmp_path / "other.tar.gz")

    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "other.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "one.tar.gz") as tar:
        assert tar.getmember("assay-1/bin/assay").mode == 0o755
        assert tar.getmember("assay-1/link").linkname == "bin/assay"


def test_the_modules_of_the_program_are_those_that_the_script_of_the_repository_builds() -> None:
    script = (REPOSITORY / "assay").read_text()

    assert f"modules={program.MAVEN_MODULES}\n" in script


def test_a_version_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "v1"]) == 1
    assert "--version v1 is not a version such as 0.2.0" in capsys.readouterr().err


class _Installed(metadata.Distribution):
    def __init__(self, version: str, folder: Path) -> None:
        self._version = version
        self._folder = folder

    @property
    def version(self) -> str:
        return self._version

    def read_text(self, filename: str) -> str | None:
        return None

    def locate_file(self, path: object) -> Path:
        return self._folder / str(path)


def test_the_folders_of_the_libraries_are_found_once_each(tmp_path: Path) -> None:
    folders = library_folders(
        ["numpy==1", "pandas==2", "extra; extra == 'x'"],
        lambda name: _Installed({"numpy": "1", "pandas": "2"}[name], tmp_path),
    )

    assert folders == [tmp_path.resolve()]


def test_a_library_of_another_version_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        IncompatibleLibrariesError, match=r"numpy 9 is installed, and Assay requires 1"
    ):
        library_folders(["numpy==1"], lambda _: _Installed("9", tmp_path))


def test_a_library_that_is_missing_is_named_with_what_to_do() -> None:
    with pytest.raises(IncompatibleLibrariesError, match=r"no-such-one 1 is not installed: .*uvx"):
        library_folders(["no-such-one==1"])


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["local"], "local"),
        (["mcp-stdio", "--data", "/tables"], "local"),
        (["mcp-stdio", "--data=/tables"], "local"),
        (["mcp-stdio", "--endpoint", "http://x"], "client"),
        (["run", "local"], "client"),
        ([], "client"),
    ],
)
def test_the_command_line_decides_on_the_options_of_the_jvm(
    arguments: list[str], kind: str
) -> None:
    assert kind_of(arguments) == kind


def test_the_jvm_is_the_one_of_the_package() -> None:
    command = Program(Path("/site/assay")).command("client")

    assert command[0] == "/site/assay/runtime/bin/java"
    assert command[1:] == ["@/site/assay/options/common", "@/site/assay/options/client"]
    options = REPOSITORY / "cli" / "src" / "main" / "options"
    assert {file.name for file in options.iterdir()} == {"client", "common", "local"}
