"""Debian packages that the cluster needs, installed when missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from cluster.errors import ClusterError
from cluster.progress import step

# A program of each package and the package that brings it.
_PROGRAMS = {
    "containerd": "containerd",
    "runc": "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "ipset": "ipset",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "socat": "socat",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "mount": "mount",
    "openssl": "openssl",
    # Tests the alerts of the chart, and has them fire; its service is not started.
    "promtool": "prometheus",
}
IMAGE_PROGRAMS = {"buildah": "buildah", "debootstrap": "debootstrap"}

_POLICY = Path("/usr/sbin/policy-rc.d")


def _present(program: str) -> bool:
    return Path(program).exists() if "/" in program else shutil.which(program) is not None


def missing_packages(programs: dict[str, str]) -> list[str]:
    """Names of the packages whose program is not on this machine."""
    return sorted({package for program, package in programs.items() if not _present(program)})


def ensure_packages(programs: dict[str, str] | None = None) -> None:
    """Installs what is missing; needs root and apt-get only if something is."""
    wanted = missing_packages(_PROGRAMS if programs is None else programs)
    if not wanted:
        return
    names = " ".join(wanted)
    if shutil.which("apt-get") is None:
        raise ClusterError(f"missing Debian packages, and no apt-get to install them: {names}")
    if os.geteuid() != 0:
        raise ClusterError(f"install these packages, or run as root: {names}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # Debian starts a packaged service as soon as it is installed, unless this
    # hook refuses; the cluster runs a containerd of its own instead.
    placed = not _POLICY.exists()
    if placed:
        _POLICY.write_text("#!/bin/sh\nexit 101\n")
        _POLICY.chmod(0o755)
    try:
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted],
        ):
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                last = (done.stderr or done.stdout).strip().splitlines()[-1:]
                raise ClusterError(f"{' '.join(command[:2])} failed: {' '.join(last)}")
    finally:
        if placed:
            _POLICY.unlink(missing_ok=True)
    step(f"installed Debian packages: {names}")
