"""A StorageClass of local volumes, and a fixed set of volumes for it."""

from __future__ import annotations

import shutil
from pathlib import Path

from cluster import settings
from cluster.api import Api
from cluster.settings import Paths
from cluster.waiting import wait_for

STORAGE_CLASS = "local"
VOLUME_COUNT = 12
_CAPACITY = "10Gi"
_VOLUMES_API = "/api/v1/persistentvolumes"


def _storage_class() -> dict[str, object]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": STORAGE_CLASS},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def volume(name: str, directory: Path) -> dict[str, object]:
    """A volume in a directory of this machine."""
    # The nodes are on one machine, so that a second one has the same directories.
    each_node = {
        "key": "kubernetes.io/hostname",
        "operator": "In",
        "values": [settings.FIRST_NODE.name, settings.SECOND_NODE.name],
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "storageClassName": STORAGE_CLASS,
            "capacity": {"storage": _CAPACITY},
            "accessModes": ["ReadWriteOnce", "ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": str(directory)},
            "nodeAffinity": {
                "required": {"nodeSelectorTerms": [{"matchExpressions": [each_node]}]}
            },
        },
    }


def _make_empty(directory: Path) -> None:
    if directory.exists():
        shutil.rmtree(directory)
    directory.mkdir(parents=True)
    directory.chmod(0o777)


def _renew(api: Api, name: str, directory: Path) -> None:
    path = f"{_VOLUMES_API}/{name}"
    if api.find(path) is not None:
        api.request("DELETE", path)
        wait_for(f"deletion of volume {name}", lambda: api.find(path) is None, seconds=30)
    _make_empty(directory)
    api.request("POST", _VOLUMES_API, volume(name, directory))


def ensure_volumes(paths: Paths, api: Api) -> list[str]:
    """Creates missing volumes and empties those whose claim was deleted; returns their names.

    A volume without a provisioner stays "Released" for ever once its claim is
    deleted, so this is what makes it available again.
    """
    api.apply(f"/apis/storage.k8s.io/v1/storageclasses/{STORAGE_CLASS}", _storage_class())
    renewed = []
    for number in range(VOLUME_COUNT):
        name = f"local-{number}"
        found = api.find(f"{_VOLUMES_API}/{name}")
        if found is None or found["status"].get("phase") in ("Released", "Failed"):
            _renew(api, name, paths.volumes / name)
            renewed.append(name)
    return renewed
