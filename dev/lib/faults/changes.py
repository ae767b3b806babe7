"""Objects that somebody deletes or changes, and an image that is nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cluster.settings import HOST_LINK_IP
from cluster.waiting import wait_for
from e2e import installation, settings
from e2e.commands import kubectl
from faults import classes
from faults.site import FaultTestError, Site, read
from soak.kills import pids

_SYSTEM = ("-n", settings.SYSTEM_NAMESPACE)
_OPERATORS = ("pods", "-l", "app.kubernetes.io/component=operator")
_SIGNING_KEYS, _CERTIFICATE = "assay-operator-keys", "assay-operator-tls"
# The operator replaces those above; these are of the chart.
_OF_CHART = ("assay-api-keys", "assay-tool-gateway-tls")
_KEPT = ("name", "namespace", "labels", "annotations")
_EDITED_MEMORY = "640Mi"
NO_IMAGE = "faults-no-image"
"""The class whose image no node has."""
# Nothing listens there, so that a pull fails at once.
_IMAGE = f"{HOST_LINK_IP}:9/assay/runner:gone"
_PENDING_SECONDS = 20
_NOT_PULLED = ("ErrImagePull", "ImagePullBackOff")


def scale_operators(replicas: int) -> None:
    """Returns once so many serve; 0: once their volumes are unmounted."""
    _scale(replicas)
    installation.wait_until_rolled_out()
    if replicas == 0:
        wait_for(
            "the end of operator Pods",
            lambda: not kubectl(*_SYSTEM, "get", *_OPERATORS, "-o", "name").strip(),
            seconds=60,
        )


def _scale(replicas: int) -> None:
    kubectl(*_SYSTEM, "scale", "deployment/assay-operator", f"--replicas={replicas}")


@contextmanager
def no_operators(site: Site, run: str) -> Iterator[None]:
    """There is no operator meanwhile."""
    try:
        _scale(0)
        wait_for("the end of operators", lambda: not pids("operator"), seconds=12)
        yield
    finally:
        scale_operators(2)


@contextmanager
def deleted_secrets(site: Site, run: str) -> Iterator[None]:
    """All Secrets of Assay are deleted; those of the chart are created again, as by an upgrade.

    Then the operators are replaced: the next leader has only what is stored to continue the run.
    """
    signing_key = _secret(_SIGNING_KEYS)["data"]["current.id"]
    of_chart = [copy(_secret(name)) for name in _OF_CHART]
    names = (_SIGNING_KEYS, _CERTIFICATE, *_OF_CHART)
    try:
        kubectl(*_SYSTEM, "delete", "secret", *names)
        yield
        wait_for(f"the Secret {_SIGNING_KEYS}", lambda: _is_there(_SIGNING_KEYS), seconds=30)
        if _secret(_SIGNING_KEYS)["data"]["current.id"] != signing_key:
            raise FaultTestError("the operator has another signing key than the run's Pod")
        if refusal := site.refusal():
            raise FaultTestError(f"a request without the Secret of its key: {refusal}")
    finally:
        missing = [one for one in of_chart if not _is_there(one["metadata"]["name"])]
        for one in missing:
            kubectl("create", "-f", "-", stdin=json.dumps(one))
        # Only an operator that begins to lead makes another certificate.
        kubectl(*_SYSTEM, "delete", *_OPERATORS)
        installation.wait_until_rolled_out()
    wait_for(f"the Secret {_CERTIFICATE}", lambda: _is_there(_CERTIFICATE), seconds=60)


def _secret(name: str) -> dict[str, Any]:
    return read(f"secret/{name}", namespace=settings.SYSTEM_NAMESPACE)


def _is_there(name: str) -> bool:
    return bool(kubectl(*_SYSTEM, "get", f"secret/{name}", "--ignore-not-found", "-o", "name"))


def copy(found: Mapping[str, Any]) -> dict[str, Any]:
    """An object without what the API server has added, so that it can be created again."""
    metadata = {key: value for key, value in found["metadata"].items() if key in _KEPT}
    return {**found, "metadata": metadata}


@contextmanager
def edited_class(site: Site, run: str) -> Iterator[None]:
    """The memory of the run's class is another one."""
    memory = read("runclass/python")["spec"]["resources"]["memory"]
    assert memory != _EDITED_MEMORY
    try:
        _give_memory(_EDITED_MEMORY)
        yield
        again = site.start(
            code="import time; print('ok', flush=True); time.sleep(10)", timeoutSeconds=60
        )
        wait_for("the next run", lambda: site.output(again) == "ok\n", seconds=90)
        found = memory_limit(site.pod(again), "worker")
        site.ended(again)
        if found != _EDITED_MEMORY:
            raise FaultTestError(f"the worker of the next run has {found}")
    finally:
        _give_memory(memory)


def _give_memory(memory: str) -> None:
    patch = {"spec": {"resources": {"memory": memory}}}
    kubectl("patch", "runclass/python", "--type=merge", "--patch", json.dumps(patch))


def memory_limit(pod: Mapping[str, Any], container: str) -> str:
    """The limit of a container of a Pod."""
    (found,) = [one for one in pod["spec"]["containers"] if one["name"] == container]
    return str(found["resources"]["limits"]["memory"])


@contextmanager
def class_without_image() -> Iterator[None]:
    """There is a class with an image that no node has, of a registry that is gone; and its pool."""
    classes.create(
        NO_IMAGE,
        image=_IMAGE,
        imagePullPolicy="IfNotPresent",
        timeouts={"pendingSeconds": _PENDING_SECONDS},
        warmPool={"min": 1},
    )
    try:
        yield
    finally:
        classes.remove(NO_IMAGE)


@contextmanager
def gone_registry(site: Site, run: str) -> Iterator[None]:
    """Another class has an image that no node has; and a warm pool."""
    with class_without_image():
        without = site.start(runClass=NO_IMAGE, code="print('ok')", timeoutSeconds=60)
        wait_for("Pods without an image", lambda: len(_not_pulled()) > 1, seconds=12)
        yield
        document = site.ended(without)
        if problem := start_problem(document):
            raise FaultTestError(problem)
        # The operator writes the status every five seconds.
        wait_for(
            "a status with the idle Pod that does not start",
            lambda: classes.pool(NO_IMAGE) == (0, 1),
            seconds=20,
        )


def _not_pulled() -> list[str]:
    pods = read("pods", namespace=settings.RUN_NAMESPACE)["items"]
    return [pod["metadata"]["name"] for pod in pods if is_not_pulled(pod)]


def is_not_pulled(pod: Mapping[str, Any]) -> bool:
    """Whether the image of a container could not be pulled."""
    return any(
        status.get("state", {}).get("waiting", {}).get("reason") in _NOT_PULLED
        for status in pod["status"].get("containerStatuses", [])
    )


def start_problem(document: Mapping[str, Any]) -> str:
    """What is wrong with how a run without an image ended; empty if nothing."""
    ending = (document["phase"], document["reason"])
    message = document.get("message") or ""
    if ending != ("Failed", "StartFailed"):
        return f"the run without an image ended as {ending}"
    if document.get("payloadStarted") != "No":
        return f"payloadStarted of the run without an image: {document.get('payloadStarted')}"
    if not any(word in message for word in _NOT_PULLED) or _IMAGE not in message:
        return f"the message does not say that {_IMAGE} was not pulled: {message}"
    return ""
