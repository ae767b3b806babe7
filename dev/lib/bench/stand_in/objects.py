"""What the stand-in node writes to the API server, and reads from its Pods; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from bench.kubernetes import Object

NODE = "assay-bench-stand-in"
TAINT = "bench.assay.dev/stand-in"
LABEL = {TAINT: "true"}
LEASE_SECONDS = 40
_SUPERVISOR = "supervisor"
_CAPACITY = {
    "cpu": "10000",
    "memory": "100Ti",
    "ephemeral-storage": "100Ti",
    "pods": "20000",
}
_FIELDS = {"metadata.uid": "uid", "metadata.namespace": "namespace"}


def node(address: str, pods: str, at: datetime) -> Object:
    """The Node.

    Args:
        address: its own.
        pods: the range of its Pods' addresses.
        at: the time.
    """
    ready = {"type": "Ready", "status": "True", "reason": "StandIn", "message": "it is a stand-in"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": NODE, "labels": {**LABEL, "kubernetes.io/hostname": NODE}},
        "spec": {
            "podCIDR": pods,
            "podCIDRs": [pods],
            "taints": [{"key": TAINT, "value": "true", "effect": "NoSchedule"}],
        },
        "status": {
            "addresses": [{"type": "InternalIP", "address": address}],
            "capacity": _CAPACITY,
            "allocatable": _CAPACITY,
            "conditions": [
                {**ready, "lastHeartbeatTime": _seconds(at), "lastTransitionTime": _seconds(at)}
            ],
        },
    }


def class_fields() -> Object:
    """The fields of a RunClass whose Pods go to the node."""
    return {
        "nodeSelector": LABEL,
        "tolerations": [
            {"key": TAINT, "operator": "Equal", "value": "true", "effect": "NoSchedule"}
        ],
    }


def lease(at: datetime) -> Object:
    """The Lease by which the node is known to be alive."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": NODE, "namespace": "kube-node-lease"},
        "spec": {
            "holderIdentity": NODE,
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        },
    }


def supervisor_environment(pod: Object) -> dict[str, str]:
    """The environment of the Pod's supervisor, with what comes from the Pod's own fields."""
    (container,) = (one for one in pod["spec"]["containers"] if one["name"] == _SUPERVISOR)
    return {entry["name"]: _value(entry, pod) for entry in container["env"]}


def running(pod: Object, address: str, host: str, at: datetime) -> Object:
    """The patch of a Pod whose containers run, as a kubelet writes it."""
    state = {"running": {"startedAt": _seconds(at)}}
    return _patch(
        pod,
        {
            "phase": "Running",
            "hostIP": host,
            "hostIPs": [{"ip": host}],
            "podIP": address,
            "podIPs": [{"ip": address}],
            "startTime": _seconds(at),
            "conditions": _conditions(at, ready=True),
            "containerStatuses": _containers(pod, state, ready=True),
        },
    )


def succeeded(pod: Object, began: datetime, at: datetime) -> Object:
    """The patch of a Pod whose containers have exited with 0."""
    state = {
        "terminated": {
            "exitCode": 0,
            "reason": "Completed",
            "startedAt": _seconds(began),
            "finishedAt": _seconds(at),
        }
    }
    return _patch(
        pod,
        {
            "phase": "Succeeded",
            "conditions": _conditions(at, ready=False),
            "containerStatuses": _containers(pod, state, ready=False),
        },
    )


def removal(pod: Object) -> Object:
    """The body of the request that removes a Pod whose containers are gone."""
    return {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}}


def path(pod: Object) -> str:
    """Of a Pod at the API server."""
    metadata = pod["metadata"]
    return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"


def _value(entry: Mapping[str, object], pod: Object) -> str:
    source = entry.get("valueFrom")
    if not isinstance(source, dict):
        return str(entry.get("value", ""))
    value: str = pod["metadata"][_FIELDS[source["fieldRef"]["fieldPath"]]]
    return value


def _patch(pod: Object, status: Object) -> Object:
    # With the UID, the patch fails if another Pod has the name.
    return {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}


def _conditions(at: datetime, *, ready: bool) -> list[Object]:
    states = {
        "PodReadyToStartContainers": ready,
        "Initialized": True,
        "Ready": ready,
        "ContainersReady": ready,
        "PodScheduled": True,
    }
    return [
        {"type": name, "status": str(state), "lastTransitionTime": _seconds(at)}
        for name, state in states.items()
    ]


def _containers(pod: Object, state: Object, *, ready: bool) -> list[Object]:
    return [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "containerID": f"stand-in://{pod['metadata']['uid']}-{container['name']}",
            "restartCount": 0,
            "ready": ready,
            "started": ready,
            "state": state,
        }
        for container in pod["spec"]["containers"]
    ]


def _seconds(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
