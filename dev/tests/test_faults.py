"""What the fault tests decide without a cluster."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from faults import changes, classes, cli, nodes
from faults.cli import Row
from faults.table import COUNTED, FAULTS


def test_a_call_that_was_made_twice_or_not_at_all_is_said() -> None:
    output = f"t1 {COUNTED}\nt2 UPSTREAM_TIMEOUT\nt3 {COUNTED}\n"

    assert cli.call_problems(Counter({"t1": 1, "t3": 1}), output, output) == []
    assert cli.call_problems(Counter({"t1": 2}), "", output) == [
        "call t3 succeeded, and was not seen",
        "call t1: 2 times",
    ]


def test_calls_have_to_succeed_again() -> None:
    before = f"t1 {COUNTED}\n"
    after = before + "t2 UPSTREAM_UNREACHABLE\n"

    assert cli.call_problems(Counter({"t1": 1}), before, after) == ["calls do not succeed again"]


def test_a_row_is_that_of_a_table() -> None:
    row = Row("fault", "Failed/PodLost", "Yes", 2.4, "20, 25", "a | b", ["late", "left: pod"])

    assert row.markdown() == (
        "| fault | Failed/PodLost | Yes | 2 s | 20, 25 | a / b | late; left: pod |"
    )


def test_faults_can_be_told_apart() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_a_class_like_another_is_no_default_and_has_no_pool_of_its_own() -> None:
    python = {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "RunClass",
        "metadata": {"name": "python", "uid": "1"},
        "spec": {
            "image": "runner",
            "defaultFor": ["python"],
            "warmPool": {"min": 5},
            "timeouts": {"maxSeconds": 600, "pendingSeconds": 300},
        },
    }

    assert classes.like(python, "other", {"image": "gone", "timeouts": {"pendingSeconds": 20}}) == {
        "apiVersion": "assay.dev/v1alpha1",
        "kind": "RunClass",
        "metadata": {"name": "other"},
        "spec": {"image": "gone", "timeouts": {"maxSeconds": 600, "pendingSeconds": 20}},
    }


def _pod(name: str, node: str, *, ready: bool = True, **labels: str) -> dict[str, Any]:
    names = {
        "component": "app.kubernetes.io/component",
        "pool": "assay.dev/warm-pool",
        "run": "assay.dev/run-uid",
    }
    status = {"conditions": [{"type": "Ready", "status": str(ready)}]}
    metadata = {"name": name, "labels": {names[key]: value for key, value in labels.items()}}
    return {"metadata": metadata, "spec": {"nodeName": node}, "status": status}


_PODS = [
    _pod("operator-1", "first", component="operator"),
    _pod("front-1", "first", component="mcp-frontend"),
    _pod("front-2", "second", ready=False, component="mcp-frontend"),
    _pod("idle", "first", pool="a"),
    _pod("taken", "first", pool="a", run="1"),
    _pod("just-taken", "first", pool="a"),
]


def test_a_node_is_drained_only_with_all_that_has_to_leave_it() -> None:
    assert nodes.absent(_PODS, "first", "operator-1", "taken") == []
    assert nodes.absent(_PODS, "second", "operator-1", "taken") == ["leader", "idle Pod", "run"]
    assert nodes.absent([], "first", "operator-1", "taken") == [
        "leader",
        "front end",
        "idle Pod",
        "run",
    ]


def test_the_pod_of_the_run_is_not_taken_for_an_idle_one() -> None:
    without = [pod for pod in _PODS if pod["metadata"]["name"] != "idle"]

    assert nodes.absent(without, "first", "operator-1", "just-taken") == ["idle Pod"]


def test_a_pod_that_ends_or_is_not_ready_does_not_serve() -> None:
    ending = _pod("operator-2", "first", component="operator")
    ending["metadata"]["deletionTimestamp"] = "2026-11-30T00:00:00Z"

    ready = nodes.ready_by_component([*_PODS, ending])

    assert (ready["operator"], ready["mcp-frontend"], ready["tool-gateway"]) == (1, 1, 0)


def test_a_secret_is_created_again_as_it_was() -> None:
    metadata = {"name": "keys", "namespace": "assay-system", "labels": {"a": "b"}}
    found = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "data": {"keys.yaml": "e30="},
        "metadata": {**metadata, "uid": "1", "resourceVersion": "2"},
    }

    assert changes.copy(found) == {**found, "metadata": metadata}


def test_the_limit_is_that_of_the_container() -> None:
    containers = [
        {"name": name, "resources": {"limits": {"memory": memory}}}
        for name, memory in (("supervisor", "98Mi"), ("worker", "640Mi"))
    ]

    assert changes.memory_limit({"spec": {"containers": containers}}, "worker") == "640Mi"


def test_a_pod_waits_for_its_image_if_kubernetes_says_so() -> None:
    def waiting(reason: str) -> dict[str, Any]:
        return {"status": {"containerStatuses": [{"state": {"waiting": {"reason": reason}}}]}}

    assert changes.is_not_pulled(waiting("ErrImagePull"))
    assert changes.is_not_pulled(waiting("ImagePullBackOff"))
    assert not changes.is_not_pulled(waiting("ContainerCreating"))
    assert not changes.is_not_pulled({"status": {}})


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({}, ""),
        ({"phase": "Succeeded", "reason": "Completed"}, "ended as ('Succeeded', 'Completed')"),
        ({"payloadStarted": "Unknown"}, "payloadStarted of the run without an image: Unknown"),
        ({"message": "The run did not start within 20 s"}, "does not say that"),
    ],
)
def test_a_run_without_an_image_says_which_could_not_be_pulled(
    changed: dict[str, str], problem: str
) -> None:
    document = {
        "phase": "Failed",
        "reason": "StartFailed",
        "payloadStarted": "No",
        "message": "The run did not start within 20 s: ImagePullBackOff: Back-off pulling image"
        ' "198.19.255.1:9/assay/runner:gone"',
        **changed,
    }

    found = changes.start_problem(document)

    assert problem in found and bool(found) == bool(problem)
