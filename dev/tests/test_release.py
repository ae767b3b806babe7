"""The parts of a release that need no registry."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest
import yaml

from cluster.commands import run
from cluster.errors import ClusterError
from cluster.settings import REPOSITORY
from release import chart, sbom, signing, sources
from release.cli import main, python_version
from release.images import Registry, debian_packages

_DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("address", "host", "prefix"),
    [
        ("registry.example.com", "registry.example.com", "assay"),
        ("registry.example.com:5000/team/a", "registry.example.com:5000", "team/a/assay"),
    ],
)
def test_an_address_is_host_and_path(address: str, host: str, prefix: str) -> None:
    registry = Registry.of(address, insecure=False)

    assert (registry.host, registry.prefix) == (host, prefix)
    assert registry.repository("operator") == f"{host}/{prefix}/operator"


@pytest.mark.parametrize("address", ["", "https://example.com", "user:password@example.com"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ClusterError, match="is not HOST"):
        Registry.of(address, insecure=False)


def test_the_chart_of_a_release_names_its_images_by_digest() -> None:
    values = (REPOSITORY / "helm" / "assay" / "values.yaml").read_text()
    registry = Registry.of("registry.example.com/team", insecure=False)

    released = yaml.safe_load(
        chart.with_images(values, "0.2.0", registry, {"operator": _DIGEST, "runner": _DIGEST})
    )

    assert released["image"] == {
        **yaml.safe_load(values)["image"],
        "registry": "registry.example.com",
        "repositoryPrefix": "team/assay",
        "tag": "0.2.0",
        "digests": {"operator": _DIGEST, "runner": _DIGEST},
    }


def test_values_that_the_release_does_not_know_are_named() -> None:
    with pytest.raises(ClusterError, match=r"has no image\.registry"):
        chart.with_images("image: {}\n", "0.2.0", Registry.of("a", insecure=False), {})


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    run([*git, "init", "--quiet"])
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")
    run([*git, "add", "."])
    run([*git, "commit", "--quiet", "--message", "Begin"])
    return tmp_path


def test_a_release_is_made_of_a_clean_checkout_of_its_tag(repository: Path) -> None:
    with pytest.raises(ClusterError, match=r"HEAD has no tag v0\.2\.0"):
        sources.require_tag("0.2.0", repository)
    run(["git", "-C", repository, "tag", "v0.2.0"])
    sources.require_tag("0.2.0", repository)
    (repository / ".git" / "info" / "exclude").write_text("target/\n")
    (repository / "cli" / "target").mkdir(parents=True)
    with pytest.raises(ClusterError, match="is of an earlier build: release from a fresh clone"):
        sources.require_tag("0.2.0", repository)
    (repository / "cli" / "target").rmdir()
    (repository / "left").write_text("over")
    with pytest.raises(ClusterError, match="1 files differ from the commit"):
        sources.require_tag("0.2.0", repository)


def test_the_notes_are_what_the_changelog_says_of_the_version(tmp_path: Path) -> None:
    changes = "# Changelog\n\n## 0.3.0\n\n- New\n\n## 0.2.0, 2026-11-30\n\n- Old\n- Older\n"
    (tmp_path / "CHANGELOG.md").write_text(changes)

    assert sources.notes("0.3.0", tmp_path) == "# Assay 0.3.0\n\n- New\n"
    assert sources.notes("0.2.0", tmp_path) == "# Assay 0.2.0\n\n- Old\n- Older\n"
    with pytest.raises(ClusterError, match=r"no section '## 0\.2'"):
        sources.notes("0.2", tmp_path)
    with pytest.raises(ClusterError, match=r"no section '## 0\.4\.0'"):
        sources.notes("0.4.0", tmp_path)


def test_checksums_are_checked_by_sha256sum_and_the_signature_by_openssl(tmp_path: Path) -> None:
    release = tmp_path / "release"
    (release / "images").mkdir(parents=True)
    (release / "images" / "a.tar").write_bytes(b"a")
    (release / "b.whl").write_bytes(b"b")
    key = tmp_path / "key.pem"
    run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
    run(["openssl", "ec", "-in", key, "-pubout", "-out", tmp_path / "key.pub"])

    sums = signing.write_checksums(release)
    signature = signing.sign(sums, key)

    subprocess.run(["sha256sum", "--check", "--quiet", sums.name], cwd=release, check=True)
    (tmp_path / "raw").write_bytes(base64.b64decode(signature.read_text()))
    verify = ["openssl", "dgst", "-sha256", "-verify", tmp_path / "key.pub"]
    assert "Verified OK" in run([*verify, "-signature", tmp_path / "raw", sums])
    assert signing.write_checksums(release).read_text() == sums.read_text()


def test_a_key_that_cannot_sign_is_named(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret")
    with pytest.raises(ClusterError, match="must be an unencrypted private key in PEM") as error:
        signing.sign(tmp_path / "key", tmp_path / "key")
    assert "secret" not in str(error.value)
    with pytest.raises(ClusterError, match="cannot sign"):
        signing.require_key(tmp_path / "none")


def test_python_components_have_the_digests_of_their_files() -> None:
    found = sbom.python_components(REPOSITORY / "images" / "runner" / "requirements.txt")

    numpy = next(component for component in found if component["name"] == "numpy")
    assert numpy["purl"] == f"pkg:pypi/numpy@{numpy['version']}"
    assert all(len(entry["value"]) == 64 for entry in numpy["properties"])
    assert numpy["properties"]


def test_debian_packages_are_those_that_are_installed(tmp_path: Path) -> None:
    status = tmp_path / "var" / "lib" / "dpkg"
    status.mkdir(parents=True)
    (status / "status").write_text(
        "Package: bash\nStatus: install ok installed\nVersion: 5.2\nDescription: a\n b: c\n\n"
        "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n"
    )

    assert debian_packages(tmp_path) == {"bash": "5.2"}
    assert sbom.debian_components({"g++": "4:12+1"})[0]["purl"] == "pkg:deb/debian/g++@4%3A12%2B1"


def test_versions_are_those_of_semver_and_python() -> None:
    assert python_version("0.2.0") == "0.2.0"
    assert python_version("0.2.0-alpha.3") == "0.2.0a3"
    assert python_version("0.3.0-rc.1") == "0.3.0rc1"


def test_a_version_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["v0.2", "--registry", "example.com"]) == 1
    assert "v0.2 is not a version such as 0.2.0" in capsys.readouterr().err
