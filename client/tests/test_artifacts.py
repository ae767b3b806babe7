from __future__ import annotations

import errno
import hashlib
import io
from pathlib import Path
from typing import BinaryIO

import pytest

from assay_client import _artifacts
from assay_client._errors import AssayError
from assay_client._http import Endpoint
from fake_assay import FakeAssay, Request


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../a",
        "a/../../b",
        "a//b",
        "./a",
        "a/",
        "a\\..\\b",
        "C:a",
        "a:stream",
        "con",
        "a/NUL.txt",
        "Com1.log",
        "LPT¹",
        "CONIN$",
        "a.",
        "a ",
        "nul .txt",
        "a\x00b",
        "a\nb",
        "a\x9bb",
        'a"b',
        "a|b",
        "a?b",
        "a*b",
        ".git/config",
        "a/.GIT/hooks/post-checkout",
        ".g\u200cit/config",
        "\ufeff.git/config",
        "git~1/config",
        "repository/HEAD",
        "repository/head",
    ],
)
def test_a_path_that_is_unsafe_anywhere_is_no_path_here(tmp_path: Path, path: str) -> None:
    with pytest.raises(AssayError, match="cannot be that of a file here: save it under") as caught:
        _artifacts.local_path(tmp_path, path)
    assert caught.value.code == "NotSaved"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "a.csv",
        "artifacts/Umsätze 1.csv",
        ".work/x",
        "console.txt",
        ".gitignore",
        "data.git/head.csv",
    ],
)
def test_other_paths_stay_as_they_are(tmp_path: Path, path: str) -> None:
    assert _artifacts.local_path(tmp_path, path) == tmp_path / path


def write(text: bytes):
    def written(out: BinaryIO) -> None:
        out.write(text)

    return written


def test_a_file_is_saved_in_folders_that_are_created(tmp_path: Path) -> None:
    root = tmp_path / "new"
    saved = _artifacts.save(root / "a" / "b.txt", root, write(b"1"), replaces=False)
    assert saved.read_bytes() == b"1"
    assert [f.name for f in saved.parent.iterdir()] == ["b.txt"]


def test_a_file_that_exists_is_replaced_only_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    with pytest.raises(AssayError, match="exists: --force replaces it"):
        _artifacts.save(file, tmp_path, write(b"new"), replaces=False)
    assert file.read_bytes() == b"old"
    _artifacts.save(file, tmp_path, write(b"new"), replaces=True)
    assert file.read_bytes() == b"new"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a"
    with pytest.raises(AssayError, match="exists"):
        _artifacts.save(file, tmp_path, lambda out: file.write_bytes(b"x"), replaces=False)
    assert file.read_bytes() == b"x"
    assert [f.name for f in tmp_path.iterdir()] == ["a"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(AssayError, match="is a folder"):
        _artifacts.save(tmp_path / "a", tmp_path, write(b""), replaces=True)


def test_no_link_leads_a_file_out_of_the_folder(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    try:
        (root / "link").symlink_to(outside)
        (root / "file").symlink_to(outside / "target")
    except OSError:
        pytest.skip("this system does not let this user create links")
    for path in ("link/a", "link/b/c"):
        with pytest.raises(AssayError, match=r"would be outside of .* because of a link there"):
            _artifacts.save(root / path, root, write(b"1"), replaces=True)
    # A link in place of the file is replaced, not followed.
    with pytest.raises(AssayError, match="exists"):
        _artifacts.save(root / "file", root, write(b"1"), replaces=False)
    _artifacts.save(root / "file", root, write(b"1"), replaces=True)
    assert list(outside.iterdir()) == []


def test_a_full_disk_is_said_and_nothing_is_left_behind(tmp_path: Path) -> None:
    def full(out: BinaryIO) -> None:
        out.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(AssayError, match="was not saved, as the disk is full: make room"):
        _artifacts.save(tmp_path / "a", tmp_path, full, replaces=False)
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def failing(out: BinaryIO) -> None:
        out.write(b"half")
        raise AssayError("Disconnected", "gone")

    with pytest.raises(AssayError, match="gone"):
        _artifacts.save(tmp_path / "a", tmp_path, failing, replaces=False)
    assert list(tmp_path.iterdir()) == []


def artifact(content: bytes, path: str = "a b/ä.bin") -> dict:
    return {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_a_download_that_breaks_goes_on_where_it_was(fake: FakeAssay) -> None:
    content = b"0123456789" * 1000

    def part(request: Request) -> None:
        start = int((request.headers["Range"] or "bytes=0-")[6:-1])
        request.handler.send_response(206 if start else 200)
        request.handler.send_header("Content-Length", str(len(content) - start))
        request.handler.end_headers()
        request.handler.wfile.write(content[start : start + 4000])

    fake.on("GET", "/api/v1/runs/r/artifacts/a b/ä.bin", part)
    out, waits = io.BytesIO(), []
    _artifacts.download(Endpoint(fake.url), "r", artifact(content), out.write, waits.append)
    assert out.getvalue() == content
    ranges = [r.headers["Range"] for r in fake.requests]
    assert ranges == [None, "bytes=4000-", "bytes=8000-"]
    assert len(waits) == 2


def test_a_download_gives_up_when_nothing_more_comes(fake: FakeAssay) -> None:
    fake.on("GET", "/", lambda r: r.refuse(503, "The output store is unavailable"))
    waits: list[float] = []
    with pytest.raises(AssayError, match="unavailable"):
        _artifacts.download(Endpoint(fake.url), "r", artifact(b"x"), print, waits.append)
    assert len(waits) == 29
    assert max(waits) <= 5


@pytest.mark.parametrize(("asked", "waited"), [("7", 7), ("99999999999999999999", 60)])
def test_a_download_waits_as_long_as_the_endpoint_asks_for(
    fake: FakeAssay, asked: str, waited: float
) -> None:
    answers = [
        lambda r: r.refuse(503, "restarting", Retry_After=asked),
        lambda r: r.answer(200, b"x"),
    ]
    fake.on("GET", "/", lambda r: answers.pop(0)(r))
    waits: list[float] = []
    _artifacts.download(Endpoint(fake.url), "r", artifact(b"x"), print, waits.append)
    assert waits == [waited]


def test_other_bytes_than_those_listed_are_an_error(fake: FakeAssay) -> None:
    fake.on("GET", "/", lambda r: r.answer(200, b"evil"))
    with pytest.raises(AssayError, match="is not what the run has left"):
        _artifacts.download(Endpoint(fake.url), "r", artifact(b"good"), [].append)


def test_a_server_that_sends_more_than_it_listed_is_stopped(fake: FakeAssay) -> None:
    fake.on("GET", "/", lambda r: r.answer(200, b"x" * 1_000_000))
    out = io.BytesIO()
    with pytest.raises(AssayError, match="is not what the run has left"):
        _artifacts.download(Endpoint(fake.url), "r", artifact(b"good"), out.write)
    assert len(out.getvalue()) < 200_000
