from __future__ import annotations

import gzip
import hashlib
import os
import sys
import zipfile
from pathlib import Path

import pytest

from assay_client._errors import AssayError
from assay_client._files import FileChanged, FileUpload


def test_a_file_is_sent_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a b ä.csv"
    content = os.urandom(700_000)
    file.write_bytes(content)
    counts: list[int] = []
    with FileUpload(file) as upload:
        assert b"".join(upload.chunks(counts.append)) == content
    assert counts[-1] == len(content)
    assert counts == sorted(counts)


def test_an_empty_file_has_no_chunks(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    with FileUpload(tmp_path / "a.csv") as upload:
        assert list(upload.chunks()) == []


def longer(file: Path) -> None:
    with file.open("ab") as out:
        out.write(b"more")


def shorter(file: Path) -> None:
    os.truncate(file, 300_000)


def later(file: Path) -> None:
    os.utime(file, (1, 1))


def another(file: Path) -> None:
    other = file.with_suffix(".new")
    other.write_bytes(b"x" * 700_000)
    os.utime(other, (1, 1))
    os.replace(other, file)


@pytest.mark.parametrize("change", [longer, shorter, later, another])
def test_of_a_file_that_changes_meanwhile_the_end_is_not_sent(tmp_path: Path, change) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"x" * 700_000)
    with FileUpload(file) as upload:
        sent = next(iter(chunks := upload.chunks()))
        try:
            change(file)
        except PermissionError:
            pytest.skip("this system does not replace open files")
        with pytest.raises(FileChanged, match=r"a\.csv was changed while it was uploaded"):
            sent += b"".join(chunks)
    assert len(sent) < 700_000


def test_a_file_that_is_not_there_is_an_error_before_anything_is_sent(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="does not exist"):
        FileUpload(tmp_path / "a.csv")
    with pytest.raises(AssayError, match="is not a regular file"):
        FileUpload(tmp_path)


def linked(link: Path, target: Path) -> None:
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("this system does not let this user create links")


def test_a_link_is_followed_only_if_it_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"x")
    linked(tmp_path / "a.csv", tmp_path / "secret")
    with FileUpload(tmp_path / "a.csv") as upload:
        assert list(upload.chunks()) == [b"x"]
    with pytest.raises(AssayError, match="is not a regular file"):
        FileUpload(tmp_path / "a.csv", follows_links=False)


@pytest.mark.parametrize("flags", [True, False])
def test_a_link_that_takes_the_place_of_a_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: bool
) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"a")
    (tmp_path / "secret").write_bytes(b"x")
    linked(tmp_path / "link", tmp_path / "secret")
    before = os.lstat(file)
    os.replace(tmp_path / "link", file)
    monkeypatch.setattr(Path, "lstat", lambda path: before)
    if not flags:
        monkeypatch.delattr(os, "O_NOFOLLOW", raising=False)  # as on Windows
    with pytest.raises(AssayError, match="cannot be read" if flags else "was changed"):
        FileUpload(file, follows_links=False)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"a")
    before = file.stat()
    file.unlink()
    os.mkfifo(file)
    monkeypatch.setattr(Path, "stat", lambda path: before)
    with pytest.raises(AssayError, match="is not a regular file"):
        FileUpload(file)


def digest(file: Path, compression: str | None) -> str | None:
    with FileUpload(file) as upload:
        found = upload.digest(compression)
        # What was read for it is sent nevertheless.
        assert b"".join(upload.chunks()) == file.read_bytes()
        return found


def test_a_compressed_file_has_the_digest_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a\n1\n")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"a\n1\n")[:-4])
    expected = hashlib.sha256(b"a\n1\n").hexdigest()
    assert digest(tmp_path / "a.csv", None) == expected
    assert digest(tmp_path / "a.csv.gz", "gzip") == expected
    assert digest(tmp_path / "broken.gz", "gzip") is None
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("__MACOSX/._a.csv", "x")
        archive.writestr("folder/", "")
        archive.writestr("folder/a.csv", "a\n1\n")
    assert digest(tmp_path / "a.zip", "zip") == expected
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as archive:
        archive.writestr("b.csv", "x")
    assert digest(tmp_path / "a.zip", "zip") is None
    assert digest(tmp_path / "a.csv", "zip") is None
