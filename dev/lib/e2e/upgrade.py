"""dev/e2e --upgrade: upgrades an earlier commit to this work tree and back, under calls."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cluster import containerd
from cluster.errors import ClusterError
from cluster.progress import step
from cluster.settings import DEFAULT_CONTEXT, REPOSITORY, Paths
from e2e import call_log, installation, settings, steady_caller, warm_pools
from e2e.call_log import Call, Seen
from e2e.commands import kubectl, run, show
from e2e.errors import E2eError
from e2e.installation import Installed
from e2e.scenarios import Outcome
from e2e.steady_caller import DATASET, TABLE, Client
from images.catalog import IMAGES

_LOG = settings.WORK / "e2e-upgrade.jsonl"
# How often each kind is called before, between and after the changes.
_ROUNDS = 2
_ATTEMPTS = 5
_FIRST_OLD_MARKER = 6_000_000
# A node of two cores has room for the Pods of both versions at once.
_VALUES = {
    "frontend.replicas": "2",
    "frontend.defaults.waitSeconds": str(steady_caller.WAIT_SECONDS),
    "operator.resources.requests.cpu": "100m",
}
_UPGRADE = (
    "upgrade",
    settings.RELEASE,
    settings.CHART,
    "--reset-then-reuse-values",
    "--set",
    # The claim of the output store is as the earlier version created it.
    "image.tag=dev,operator.outputStore.checkSize=false",
)


@dataclass(frozen=True)
class Version:
    """A commit, its files, and the tag of its images."""

    commit: str
    tree: Path

    @property
    def tag(self) -> str:
        return f"upgrade-{self.commit[:12]}"


def version(name: str) -> Version:
    """The commit of that name, its files in the cache."""
    commit = run(
        ["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"], cwd=REPOSITORY
    ).strip()
    tree = settings.cache() / f"upgrade-{commit}"
    if not tree.exists():
        tree.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=tree.parent, prefix="unfinished.") as unfinished:
            archive = Path(unfinished) / "archive.tar"
            run(["git", "archive", "--output", archive, commit], cwd=REPOSITORY)
            target = Path(unfinished) / "tree"
            target.mkdir()
            run(["tar", "-x", "-f", archive, "-C", target])
            target.rename(tree)
    return Version(commit, tree)


def build(of: Version) -> None:
    """Builds the images of an earlier version with its own dev/images, unless they are loaded."""
    names = {f"docker.io/{image.repository}:{of.tag}" for image in IMAGES if image.is_delivered}
    try:
        loaded = containerd.image_names(Paths(DEFAULT_CONTEXT))
    except ClusterError as failure:
        raise E2eError(str(failure)) from failure
    if names <= loaded:
        return
    show([of.tree / "dev" / "images", "--tag", of.tag])


def run_all(of: Version) -> list[Outcome]:
    """Installs, calls, upgrades, rolls back; returns what became of the calls.

    The cluster is up, and has the images of this work tree. An installation is removed before.
    """
    build(of)
    installation.remove()
    values = {
        **{name: value for name, value in warm_pools.values().items() if "-large" not in name},
        **_VALUES,
        "image.tag": of.tag,
    }
    installed = installation.install(values, of.tree / "helm" / "assay")
    installation.wait_until_served(installed)
    step(f"upgrade: {of.commit[:12]} is installed")
    return _under_calls(installed)


def _under_calls(installed: Installed) -> list[Outcome]:
    client = Client(installed)
    client.rest(
        "POST", "/datasets", {"name": DATASET, "data": TABLE, "format": "csv", "wait": True}
    )
    old = _make_old(client)
    _LOG.parent.mkdir(parents=True, exist_ok=True)
    _LOG.unlink(missing_ok=True)
    caller = steady_caller.of(installed, lambda call: call_log.add(call, _LOG))
    caller.start("before")
    outcomes: list[Outcome] = []
    try:
        _wait(caller, "before")
        for reached, happened in _STEPS.items():
            caller.enter(f"stopped when {reached}")
            # Helm may have ended before it is killed.
            if not any(_stop_upgrade(reached, happened) for _ in range(_ATTEMPTS)):
                raise E2eError(f"no upgrade was stopped when {reached}")
        caller.enter("upgrade")
        _helm(*_UPGRADE)
        caller.enter("after the upgrade")
        _wait(caller, "after the upgrade")
        outcomes.append(_compare("after the upgrade", old, _read(client, list(old))))
        caller.enter("rollback")
        _helm("rollback", settings.RELEASE)
        caller.enter("after the rollback")
        _wait(caller, "after the rollback")
        outcomes.append(_compare("after the rollback", old, _read(client, list(old))))
    except E2eError as failure:
        outcomes.append(Outcome("upgrade", "stages", False, 0.0, str(failure)))
    finally:
        calls = caller.stop()
        step(f"upgrade: {len(calls)} calls are in {_LOG.relative_to(REPOSITORY)}")
    found = call_log.problems(calls, call_log.by_marker(_runs(client, calls)))
    return [*outcomes, *call_log.outcomes(calls, found)]


def _stop_upgrade(reached: str, happened: Callable[[], bool]) -> bool:
    """Kills Helm when an upgrade has come so far, and goes back; whether it was in time."""
    before = _last_revision()
    # What an upgrade that was killed has left would look like that of the next.
    kubectl(
        *("--namespace", settings.SYSTEM_NAMESPACE, "delete", "job/assay-crds"),
        "--ignore-not-found",
    )
    command = ["helm", *map(str, _UPGRADE), "--namespace", settings.SYSTEM_NAMESPACE]
    helm = subprocess.Popen(
        command,
        env=settings.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not happened() and helm.poll() is None:
            pass
    finally:
        helm.kill()
        status = helm.wait()
    after = _last_revision()
    _helm("rollback", settings.RELEASE, str(before[0]))
    is_stopped = status == -signal.SIGKILL and after == (before[0] + 1, "pending-upgrade")
    if is_stopped:
        step(f"upgrade: helm was killed when {reached}")
    return is_stopped


def _last_revision() -> tuple[int, str]:
    """The number and the state of the newest revision of the release."""
    listed = run(
        [
            "helm",
            "history",
            settings.RELEASE,
            "--namespace",
            settings.SYSTEM_NAMESPACE,
            "-o",
            "json",
        ]
    )
    last = json.loads(listed)[-1]
    return last["revision"], last["status"]


def _is_recorded() -> bool:
    return "pending-upgrade" in _system(
        "secrets", "owner=helm,status=pending-upgrade", "{.items[*].metadata.labels}"
    )


def _applies_crds() -> bool:
    return "assay-crds" in _system("pods", "", "{.items[*].metadata.name}")


def _has_changed_a_deployment() -> bool:
    images = "{.items[*].spec.template.spec.containers[*].image}"
    return ":dev" in _system("deployments", "", images)


def _system(kind: str, selector: str, path: str) -> str:
    """A field of all objects of a kind in the namespace of the system."""
    names = ("--namespace", settings.SYSTEM_NAMESPACE, "get", kind, "--selector", selector)
    return kubectl(*names, "-o", f"jsonpath={path}")


# Helm is killed at each, and the release is rolled back, before the upgrade that is judged.
_STEPS: dict[str, Callable[[], bool]] = {
    "the release is recorded": _is_recorded,
    "the Job applies CRDs": _applies_crds,
    "a Deployment has changed": _has_changed_a_deployment,
}


def _wait(caller: steady_caller.SteadyCaller, phase: str) -> None:
    if not caller.wait_for(_ROUNDS):
        raise E2eError(f"{phase}: not every kind of call has ended {_ROUNDS} times")
    step(f"upgrade: called {phase}")


def _helm(*arguments: str | Path) -> None:
    run(["helm", *arguments, "--namespace", settings.SYSTEM_NAMESPACE])
    installation.wait_until_rolled_out()
    step(f"upgrade: helm {arguments[0]} is done, and all Pods are replaced")


def _make_old(client: Client) -> dict[str, str]:
    """One run of each kind: name to what can be read of it."""
    for number, (kind, call) in enumerate(steady_caller.RUNS.items()):
        try:
            call(client, str(_FIRST_OLD_MARKER + number))
        except (OSError, RuntimeError) as failure:
            raise E2eError(f"{kind} before the upgrade: {failure}") from failure
    client.tool("analytics_profile_dataset", file_path=DATASET)
    old = _read(client, [run.name for run in _all_runs()])
    unread = [text for text in old.values() if not text.startswith("[")]
    if unread:
        raise E2eError(f"before the upgrade: {unread[0]}")
    if len(old) <= len(steady_caller.RUNS):
        raise E2eError(f"{len(old)} runs are there before the upgrade")
    return old


def _read(client: Client, names: list[str]) -> dict[str, str]:
    """What REST returns of each run, and get_run: phase, reason, value and output."""
    read = {}
    for name in names:
        try:
            _, document = client.rest("GET", f"/runs/{name}")
            _, output = client.rest("GET", f"/runs/{name}/output")
            client.tool("get_run", name=name)
        except (OSError, RuntimeError) as failure:
            read[name] = str(failure)
            continue
        parts = json.loads(document)
        read[name] = json.dumps(
            [parts.get("phase"), parts.get("reason"), parts.get("value"), output]
        )
    return read


def _compare(phase: str, before: dict[str, str], now: dict[str, str]) -> Outcome:
    """Whether old runs are read as before."""
    changed = [
        f"{name} was {before[name]}, is {now[name]}" for name in before if before[name] != now[name]
    ]
    case = f"{phase}: {len(before)} runs of before are read as they were"
    return Outcome("upgrade", case, not changed, 0.0, "\n".join(changed))


def _all_runs() -> list[Seen]:
    listed = json.loads(
        kubectl("--namespace", settings.RUN_NAMESPACE, "get", "analyticsruns", "-o", "json")
    )
    return [Seen(item["metadata"]["name"], json.dumps(item["spec"])) for item in listed["items"]]


def _runs(client: Client, calls: list[Call]) -> list[Seen]:
    """All runs, those of calls with their output."""
    markers = {call.marker for call in calls}
    seen = []
    for one in _all_runs():
        of_call = any(marker in one.spec for marker in markers if marker)
        output = client.rest("GET", f"/runs/{one.name}/output")[1] if of_call else ""
        seen.append(Seen(one.name, one.spec, output))
    return seen
