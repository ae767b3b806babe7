"""gVisor for the classes of the chart, so that all scenarios run in it."""

from __future__ import annotations

from cluster.gvisor import NAME

_CLASSES = ("python", "python-large", "code", "sql", "sql-large", "javascript")
_SNAPSHOT_CLASSES = ("snapshot", "snapshot-large", "snapshot-stream")


# gVisor shares a volume among the containers of a Pod, with its sockets, only if the Pod says so.
_ANNOTATIONS = {
    f"dev.gvisor.spec.mount.launcher-socket.{field}": value
    for field, value in (("share", "pod"), ("type", "tmpfs"), ("options", "rw"))
}


def values() -> dict[str, str]:
    """Returns the values of the chart."""
    fields = {"runtimeClassName": NAME}
    for name, value in _ANNOTATIONS.items():
        # Helm takes other dots for levels.
        escaped = name.replace(".", r"\.")
        fields[f"podAnnotations.{escaped}"] = value
    return {
        f"classes.{name}.{field}": value
        for name in (*_CLASSES, *_SNAPSHOT_CLASSES)
        for field, value in fields.items()
    }
