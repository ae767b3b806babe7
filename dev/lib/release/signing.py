"""Checksums of all files of a release, and a signature as `cosign sign-blob` makes it."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import tempfile
from pathlib import Path

from cluster.errors import ClusterError

SUMS = "SHA256SUMS"


def write_checksums(directory: Path) -> Path:
    """Writes SHA256SUMS, which sha256sum --check reads."""
    target = directory / SUMS
    lines = []
    for file in sorted(path for path in directory.rglob("*") if path.is_file()):
        if not file.name.startswith(SUMS):
            with open(file, "rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            lines.append(f"{digest}  {file.relative_to(directory).as_posix()}\n")
    target.write_text("".join(lines))
    return target


def require_key(key: Path) -> None:
    """Raises ClusterError unless the key can sign."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "probe").touch()
        sign(Path(scratch) / "probe", key)


def sign(file: Path, key: Path) -> Path:
    """Signs a file with a private key in PEM; returns the signature, which is in Base64.

    `cosign verify-blob --key KEY.pub --signature FILE.sig FILE` accepts it where the key is an
    ECDSA key on P-256, and so does openssl.
    """
    done = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", str(key), str(file)], capture_output=True
    )
    if done.returncode != 0:
        raise ClusterError(f"--key {key} cannot sign: it must be an unencrypted private key in PEM")
    target = file.with_name(f"{file.name}.sig")
    target.write_bytes(base64.b64encode(done.stdout) + b"\n")
    return target
