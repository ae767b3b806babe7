"""A registry on this machine, to try a release with."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster.binaries import REGISTRY, ensure_binaries
from cluster.errors import ClusterError
from cluster.progress import step

ADDRESS = "127.0.0.1:5787"
_START_SECONDS = 30
_TYPES = "application/vnd.oci.image.manifest.v1+json"


@contextmanager
def registry(scratch: Path) -> Iterator[str]:
    """Serves a registry as long as it is used; returns its address."""
    ensure_binaries([REGISTRY])
    configuration = scratch / "registry.json"
    storage = {"filesystem": {"rootdirectory": str(scratch / "registry")}}
    # YAML, of which JSON is a part.
    configuration.write_text(
        json.dumps({"version": 0.1, "storage": storage, "http": {"addr": ADDRESS}})
    )
    with open(scratch / "registry.log", "w") as log:
        process = subprocess.Popen(
            [REGISTRY.program("registry"), "serve", configuration], stdout=log, stderr=log
        )
    try:
        _await(process)
        yield ADDRESS
    finally:
        process.terminate()
        process.wait()


def _await(process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://{ADDRESS}/v2/", timeout=5).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise ClusterError(f"no registry serves {ADDRESS}: is the port taken?") from None
            time.sleep(0.1)


def check(output: Path) -> None:
    """Checks that the registry has by digest what the release says, and each file its checksum."""
    pushed = (output / "PUSHED").read_text().split()
    for reference in pushed:
        repository, _, digest = reference.removeprefix(f"{ADDRESS}/").partition("@")
        request = urllib.request.Request(
            f"http://{ADDRESS}/v2/{repository}/manifests/{digest}", headers={"Accept": _TYPES}
        )
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except urllib.error.HTTPError as error:
            raise ClusterError(f"the registry has no {reference}: {error}") from error
    sums = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    if subprocess.run(sums, cwd=output).returncode != 0:
        raise ClusterError("a file differs from its checksum")
    step(f"the registry has all {len(pushed)} by digest, and the checksums are right")
