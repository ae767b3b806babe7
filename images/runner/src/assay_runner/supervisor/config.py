"""The supervisor's settings, read from its environment."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import NamedTuple

from assay_runner.linger import DEFAULT_LINGER_MS, LINGER_MS, MAX_LINGER_MS
from assay_runner.supervisor.egress import EgressAddress
from assay_runner.workers import WORKERS, Worker

_MIB = 1024 * 1024
_ED25519_KEY_BYTES = 32


class ConfigError(ValueError):
    """A setting is missing or invalid; the message names it."""


class Config(NamedTuple):
    """The supervisor's settings.

    Attributes:
        pod_uid: the Pod's UID.
        namespace: the Pod's namespace.
        public_keys: raw Ed25519 public keys (32 bytes) by key ID.
        address: address to bind, or None for all.
        port: TCP port; 0 lets the system choose.
        worker_name: the worker of this Pod, by its name in `WORKERS`.
        socket_path: unix socket for the launcher.
        spool_limit_bytes: maximum bytes of output kept.
        request_timeout_ms: time limit of a connection for a complete request.
        snapshot_dir: directory of a snapshot Pod's snapshot; None in other Pods.
        snapshots_dir: directory of all snapshots of the namespace, in a Pod that was made before
            its job was known; None in other Pods.
        upload_limit_bytes: maximum size of an upload to a snapshot Pod; 0 refuses all uploads.
        inputs_dir: directory that inputs are written to.
        inputs_limit_bytes: maximum size of all inputs together; 0 refuses all inputs.
        mirror_output: whether output is also written to the supervisor's stdout.
        linger_ms: how long to serve after the result was acknowledged.
        egress_address: an address that this Pod must not be able to connect to; None for no test.
    """

    pod_uid: str
    namespace: str
    public_keys: Mapping[str, bytes]
    address: str | None
    port: int
    worker_name: str
    socket_path: str
    spool_limit_bytes: int
    request_timeout_ms: int
    snapshot_dir: str | None
    snapshots_dir: str | None
    upload_limit_bytes: int
    inputs_dir: str
    inputs_limit_bytes: int
    mirror_output: bool
    linger_ms: int = DEFAULT_LINGER_MS
    egress_address: EgressAddress | None = None

    @property
    def worker(self) -> Worker:
        """The worker of this Pod."""
        return WORKERS[self.worker_name]

    @staticmethod
    def from_environment(environment: Mapping[str, str]) -> Config:
        """Read and check all settings.

        Raises:
            ConfigError: if a setting is missing or invalid.
        """
        return Config(
            pod_uid=_required(environment, "ASSAY_POD_UID"),
            namespace=_required(environment, "ASSAY_POD_NAMESPACE"),
            public_keys=_keys(_required(environment, "ASSAY_PUBLIC_KEYS")),
            address=environment.get("ASSAY_ADDRESS") or None,
            port=_integer(environment, "ASSAY_PORT", 7333, 65535),
            worker_name=_worker_name(environment),
            socket_path=environment.get("ASSAY_SOCKET") or "/run/assay/launcher.sock",
            spool_limit_bytes=_integer(environment, "ASSAY_SPOOL_LIMIT_BYTES", 8 * _MIB, 2**40),
            request_timeout_ms=_integer(environment, "ASSAY_REQUEST_TIMEOUT_MS", 60_000, 3_600_000),
            snapshot_dir=environment.get("ASSAY_SNAPSHOT_DIR") or None,
            snapshots_dir=environment.get("ASSAY_SNAPSHOTS_DIR") or None,
            upload_limit_bytes=_integer(environment, "ASSAY_UPLOAD_LIMIT_BYTES", 0, 2**40),
            inputs_dir=environment.get("ASSAY_INPUTS_DIR") or "/inputs",
            inputs_limit_bytes=_integer(environment, "ASSAY_INPUTS_LIMIT_BYTES", 0, 2**40),
            mirror_output=_flag(environment, "ASSAY_MIRROR_OUTPUT"),
            linger_ms=_integer(environment, LINGER_MS, DEFAULT_LINGER_MS, MAX_LINGER_MS),
            egress_address=_egress_address(environment),
        )


def _worker_name(environment: Mapping[str, str]) -> str:
    # Operators did not name it before there was a third.
    default = "snapshot" if environment.get("ASSAY_SNAPSHOT_DIR") else "python"
    name = environment.get("ASSAY_WORKER") or default
    if name not in WORKERS:
        raise ConfigError(f"ASSAY_WORKER must be one of {', '.join(WORKERS)}")
    return name


def _egress_address(environment: Mapping[str, str]) -> EgressAddress | None:
    name = "ASSAY_EGRESS_ADDRESS"
    text = environment.get(name)
    if not text:
        return None
    try:
        return EgressAddress.parse(text)
    except ValueError as problem:
        raise ConfigError(f"{name} must be HOST:PORT: {problem}") from None


def _required(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name)
    if not value:
        raise ConfigError(f"{name} is not set")
    return value


def _integer(environment: Mapping[str, str], name: str, default: int, maximum: int) -> int:
    text = environment.get(name) or str(default)
    if not (text.isascii() and text.isdecimal()) or len(text) > 15 or int(text) > maximum:
        raise ConfigError(f"{name} must be a number from 0 to {maximum}")
    return int(text)


def _flag(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name) or "false"
    if text not in ("true", "false"):
        raise ConfigError(f"{name} must be true or false")
    return text == "true"


def _keys(text: str) -> Mapping[str, bytes]:
    keys: dict[str, bytes] = {}
    for entry in text.split(","):
        key_id, _, encoded = entry.strip().partition("=")
        try:
            raw = base64.b64decode(encoded, validate=True)
        except ValueError:
            raw = b""
        if not key_id or len(raw) != _ED25519_KEY_BYTES:
            raise ConfigError(
                "ASSAY_PUBLIC_KEYS must be keyId=base64(32 bytes), separated by commas"
            )
        keys[key_id] = raw
    return keys
