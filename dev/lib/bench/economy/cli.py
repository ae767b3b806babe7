"""Command line of dev/bench economy, which runs with the Python of images/runner/environment."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.economy import counts, expected, figures, policies, report, tables, tasks, transcript
from bench.economy.connection import Listing, PeerError
from bench.economy.figures import Played
from bench.economy.local_mode import Endpoint
from bench.economy.player import Player
from bench.economy.systems import NEVER_PRESENT, SYSTEMS, Setting, System, connected
from bench.economy.tables import NAMES, Tables
from bench.economy.tasks import Task
from bench.economy.transcript import Session
from bench.subjects import FrontEnd
from bench.warm.result import Result, as_json, violations
from cluster.settings import REPOSITORY
from e2e import clients

_PHASE = "economy"
_BASELINE = "economy-baseline.json"
_OURS = "assay"


def main(arguments: Sequence[str]) -> int:
    """Play and count; returns the exit status, 1 if something is not as it has to be."""
    options = _parser().parse_args(arguments)
    chosen = _chosen(options.only)
    outside = clients.ensure()
    with tempfile.TemporaryDirectory(prefix="assay-economy-") as scratch:
        folder = Path(scratch) / "tables"
        folder.mkdir()
        modules = outside.clients / "inspector" / "node_modules"
        all_tables = tables.collect(folder, modules / "vega-datasets" / "data")
        found = expected.differences(expected.computed(all_tables), expected.stored())
        if found:
            return _failed(found)
        given = _given(options.endpoint, all_tables)
        node = modules / f"node-linux-{_node_architecture()}" / "bin" / "node"
        with Setting(all_tables, Path(scratch), node, given) as setting:
            todo = tasks.load(expected.stored())
            sessions, absent = _play(chosen, setting, _selected(todo, options.task))
    return _finish(options, todo, sessions, absent)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev/bench economy",
        description="Plays the tasks of bench/economy with each system, and counts the tokens and"
        " turns that an agent pays. Needs no cluster: it starts local mode.",
    )
    add = parser.add_argument
    add(
        "--only",
        action="append",
        choices=[_OURS, *SYSTEMS],
        help="this system; may be repeated. assay: all of its own, without peers",
    )
    add("--task", action="append", help="this task, by its name; may be repeated")
    add(
        "--endpoint",
        help="URL of an installation of Assay, with the key in ASSAY_API_KEY, instead of local"
        " mode: the tables are uploaded, and stay",
    )
    add("--results", type=Path, default=REPOSITORY / "bench" / "results")
    add("--ranges", type=Path, default=REPOSITORY / "bench" / "ranges")
    add(
        "--write-baseline",
        action="store_true",
        help="write what later runs may exceed by 3 %% at most",
    )
    return parser


def _chosen(only: Sequence[str] | None) -> list[System]:
    if only is None:
        return list(SYSTEMS.values())
    return [
        system
        for system in SYSTEMS.values()
        if system.name in only or (_OURS in only and not system.is_peer)
    ]


def _selected(todo: Sequence[Task], names: Sequence[str] | None) -> list[Task]:
    unknown = sorted(set(names or ()) - {task.name for task in todo})
    if unknown:
        raise SystemExit(f"dev/bench economy: there is no task {unknown[0]}")
    return [task for task in todo if names is None or task.name in names]


def _node_architecture() -> str:
    return {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def _given(url: str | None, all_tables: Tables) -> Endpoint | None:
    if url is None:
        return None
    front_end = FrontEnd(url.rstrip("/"), os.environ["ASSAY_API_KEY"])
    for name in NAMES:
        front_end.upload(name, all_tables.path(name), {"replace": "true"})
    return Endpoint(front_end.url, front_end.key)


def _play(
    chosen: Sequence[System], setting: Setting, todo: Sequence[Task]
) -> tuple[list[Session], list[str]]:
    """One system after the other; what is absent is named, with the reason."""
    sessions = []
    absent = [f"{name} ({why})" for name, why in NEVER_PRESENT.items()]
    absent += [f"{name} (not asked for)" for name in SYSTEMS if SYSTEMS[name] not in chosen]
    for system in chosen:
        print(f"dev/bench: {system.name}", file=sys.stderr, flush=True)
        try:
            session = _session(system, setting, todo)
        except PeerError as error:
            absent.append(f"{system.name} (it {error})")
            continue
        if session.ended is not None:
            absent.append(f"{system.name} from there on ({session.ended})")
        sessions.append(session)
    return sessions, absent


def _session(system: System, setting: Setting, todo: Sequence[Task]) -> Session:
    policy = policies.load(system.name)
    with connected(system, setting) as connection:
        listing: Listing = connection.listing()
        player = Player(policy, connection, listing, setting.tables)
        transcripts, ended = player.play_all(todo)
    return Session(system.name, system.version, listing, transcripts, ended)


def _finish(
    options: argparse.Namespace,
    todo: Sequence[Task],
    sessions: Sequence[Session],
    absent: Sequence[str],
) -> int:
    results: Path = options.results
    results.mkdir(parents=True, exist_ok=True)
    lines = results / f"{_PHASE}-transcripts.jsonl"
    transcript.write(sessions, lines)
    counted = counts.count(lines)
    played = [Played(session, counted[session.system]) for session in sessions]
    result = Result(
        _PHASE,
        {},
        {**figures.of_systems(played), **figures.compared(played)},
        conditions=_conditions(sessions),
        absent=absent,
    )
    (results / f"{_PHASE}.json").write_text(as_json(result))
    page = report.tables(result, todo, played)
    (results / f"{_PHASE}.md").write_text(page)
    report.draw(played, results / f"{_PHASE}.svg")
    print(page)
    found = [f"economy: {name}" for name in absent if _is_ours_missing(name)]
    # Of some tasks there are no ranges.
    if options.task is None:
        found += _outside(options, result, played)
    return _failed(found)


def _outside(options: argparse.Namespace, result: Result, played: Sequence[Played]) -> list[str]:
    """What is outside of its range, or has grown."""
    baseline: Path = options.ranges / _BASELINE
    if options.write_baseline:
        baseline.write_text(json.dumps(figures.baseline_of(played), indent=1) + "\n")
    found = violations(result, options.ranges)
    if baseline.exists():
        found += figures.grown(played, json.loads(baseline.read_text()))
    return found


def _is_ours_missing(absent: str) -> bool:
    return absent.startswith(f"{_OURS}-") and not absent.endswith("(not asked for)")


def _conditions(sessions: Sequence[Session]) -> dict[str, str]:
    versions = {session.system: session.version for session in sessions if session.version}
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, Python {sys.version.split()[0]}",
        **{f"version of {name}": version for name, version in versions.items()},
    }


def _failed(found: Sequence[str]) -> int:
    for line in found:
        print(f"dev/bench: {line}", file=sys.stderr)
    return 1 if found else 0
