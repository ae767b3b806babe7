"""Saves files that runs have left. Code of others has chosen their names and bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from assay_client import _http
from assay_client._errors import AssayError
from assay_client._http import Endpoint, Json
from assay_client._retry import Retries
from assay_client._text import one_line, word

# What Windows refuses, or takes for a device, a stream or another name. Refused everywhere, so that
# a folder of artifacts can be moved.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\]')
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *", re.I)
# What has Git execute the hooks and the configuration of a folder, and `.git` as some file systems
# have it, too. No folder is a repository without a file HEAD.
_GIT = {".git", "git~1", "head"}
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def local_path(folder: Path, path: str) -> Path:
    """Where the file of a run belongs in a folder.

    Raises:
        AssayError: `NotSaved`, if a part of its path cannot be the name of a file everywhere.
    """
    parts = path.split("/")
    for part in parts:
        if (
            part in {"", ".", ".."}
            or part[-1] in " ."
            or _FORBIDDEN.search(part)
            or _DEVICE.fullmatch(part.partition(".")[0])
            or _IGNORED_BY_HFS.sub("", part).lower() in _GIT
        ):
            raise AssayError(
                "NotSaved",
                f"the name '{one_line(path)}' cannot be that of a file here: save it under another"
                " with --output FILE",
            )
    return folder.joinpath(*parts)


def save(target: Path, root: Path, write: Callable[[BinaryIO], None], *, replaces: bool) -> Path:
    """Writes a file below a folder; it is there when it is complete.

    Args:
        target: its path, below `root`.
        root: need not exist. No link in it leads the file elsewhere.
        write: writes the bytes.
        replaces: whether a file that exists is replaced.

    Raises:
        AssayError: `NotSaved`, also where the disk is full; and what `write` raises.
    """
    unfinished: Path | None = None
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder = _folder_of(target, root)
        file = folder / target.name
        if file.is_dir() and not file.is_symlink():
            raise AssayError("NotSaved", f"{target} is a folder: name a file with --output")
        if not replaces and os.path.lexists(file):
            raise _exists(target)
        part = folder / f".assay-{uuid.uuid4().hex}.part"
        with part.open("xb") as out:
            unfinished = part
            write(out)
        _move(part, file, target, replaces=replaces)
        unfinished = None
        return target
    except OSError as e:
        if e.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}:
            raise AssayError(
                "NotSaved",
                f"{target} was not saved, as the disk is full: make room, or name another folder",
            ) from None
        raise AssayError(
            "NotSaved",
            f"{target} was not saved ({e.strerror or type(e).__name__}): name another file",
        ) from None
    finally:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()


def download(
    endpoint: Endpoint,
    run: str,
    artifact: Json,
    write: Callable[[bytes], object],
    sleep: Callable[[float], None] | None = None,
) -> None:
    """Writes the bytes of an artifact. A connection that breaks is continued.

    Args:
        endpoint: which has it.
        run: the name of the run.
        artifact: as REST lists it.
        write: gets them as they come.
        sleep: waits for seconds.

    Raises:
        AssayError: also where the bytes do not have the SHA-256 of the list.
    """
    path, length = str(artifact.get("path")), int(artifact.get("bytes", 0))
    encoded = "/".join(_http.encoded(part) for part in path.split("/"))
    digest = hashlib.sha256()
    offset = 0
    retries = Retries(sleep)
    while offset < length:
        before = offset
        headers = {"Range": f"bytes={offset}-"} if offset else {}
        try:
            with endpoint.request(
                "GET", f"/api/v1/runs/{_http.encoded(run)}/artifacts/{encoded}", headers=headers
            ) as reply:
                reply.require_success()
                if offset and reply.status != 206:
                    raise AssayError("NotAssay", f"{endpoint.url} does not continue a download")
                for chunk in reply.chunks():
                    offset += len(chunk)
                    if offset > length:
                        raise _not_the_same(path)
                    digest.update(chunk)
                    write(chunk)
            failure = AssayError("Disconnected", "the download ended too early")
        except AssayError as e:
            failure = e
        if offset < length:
            retries.await_next(failure, has_progressed=offset > before)
    if digest.hexdigest() != artifact.get("sha256"):
        raise _not_the_same(path)


def _folder_of(target: Path, root: Path) -> Path:
    """Creates the folder of a file. A link that was there before may not lead out of the root."""
    real_root = root.resolve(strict=True)
    parent = target.absolute().parent
    nearest = parent
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    if not nearest.resolve().is_relative_to(real_root):
        raise _outside(target, root)
    parent.mkdir(parents=True, exist_ok=True)
    if not parent.resolve(strict=True).is_relative_to(real_root):
        raise _outside(target, root)
    return parent.resolve(strict=True)


def _move(unfinished: Path, file: Path, target: Path, *, replaces: bool) -> None:
    if replaces:
        os.replace(unfinished, file)
    elif sys.platform == "win32":
        try:
            os.rename(unfinished, file)
        except FileExistsError:
            raise _exists(target) from None
    else:
        try:
            # Unlike a rename, this does not replace what was created meanwhile.
            os.link(unfinished, file)
        except FileExistsError:
            raise _exists(target) from None
        except OSError:
            os.rename(unfinished, file)  # Some file systems have no links.
        else:
            unfinished.unlink()


def _not_the_same(path: str) -> AssayError:
    return AssayError(
        "NotAssay", f"the file '{one_line(path)}' is not what the run has left: retry"
    )


def _exists(target: Path) -> AssayError:
    return AssayError("NotSaved", f"{target} exists: --force replaces it")


def _outside(target: Path, root: Path) -> AssayError:
    return AssayError("NotSaved", f"{target} would be outside of {root}, because of a link there")


def find(artifacts: Json, run: str, path: str) -> Json:
    """The artifact of a path.

    Raises:
        AssayError: `NotFound`.
    """
    for artifact in artifacts.get("items", []):
        if artifact.get("path") == path:
            return cast(Json, artifact)
    raise AssayError(
        "NotFound",
        f"the run has no file '{one_line(path)}': assay-client artifacts ls {word(run, 'RUN')}"
        " lists them",
    )
