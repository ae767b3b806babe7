"""Command line of dev/bench economy, which runs with the Python of images/runner/environment."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import queue
import shlex
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.economy import (
    counts,
    expected,
    figures,
    policies,
    report,
    slices,
    tables,
    transcript,
    whole_files,
)
from bench.economy.connection import Listing, PeerError
from bench.economy.figures import Played
from bench.economy.local_mode import Endpoint
from bench.economy.player import Player
from bench.economy.systems import SYSTEMS, Setting, System, connected
from bench.economy.tables import Tables
from bench.economy.task_set import OURS, SETS, TaskSet
from bench.economy.tasks import Task
from bench.economy.transcript import Session
from bench.report.result import Result, as_json, violations
from bench.subjects import FrontEnd
from cluster.settings import REPOSITORY
from e2e import clients
from e2e.clients import Outside

_NOT_ASKED_FOR = "(not asked for)"
_VEGA = "vega-datasets/data"
# Of the transcripts, until all systems have played.
_PART = ".part"
# Systems that play at the same time: what is counted does not depend on how long it takes.
_AT_ONCE = 2


def main(arguments: Sequence[str]) -> int:
    """Play and count; returns the exit status, 1 if something is not as it has to be."""
    options = _parser().parse_args(arguments)
    options.given = arguments
    chosen = {name: SETS[name] for name in options.set or SETS}
    _check_names(options.task, chosen.values())
    outside = clients.ensure()
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="assay-economy-") as scratch:
        folder = Path(scratch)
        all_tables = tables.collect(_made(folder / "tables"), _modules(outside) / _VEGA)
        of_sets = {
            "questions": all_tables,
            "files": slices.cut(all_tables, _made(folder / "slices")),
        }
        for name, task_set in chosen.items():
            todo = [
                task
                for task in task_set.load()
                if options.task is None or task.name in options.task
            ]
            if todo:
                place = _made(folder / name)
                found += _measured(options, task_set, todo, of_sets[name], place, outside)
    for line in found:
        print(f"dev/bench: {line}", file=sys.stderr)
    return 1 if found else 0


def _measured(
    options: argparse.Namespace,
    task_set: TaskSet,
    todo: Sequence[Task],
    its_tables: Tables,
    scratch: Path,
    outside: Outside,
) -> list[str]:
    """Play a set, and write its result; returns what is not as it has to be."""
    names = [task.name for task in task_set.load()]
    wrong = expected.differences(
        expected.computed(its_tables, names), expected.stored(task_set.expected)
    )
    if wrong:
        return wrong
    given = _given(options.endpoint, its_tables)
    systems = task_set.chosen(options.only, is_local=options.endpoint is None)
    with Setting(
        its_tables,
        scratch,
        _node(outside, "inspector"),
        [
            str(_node(outside, "stdio")),
            str(_modules(outside, "stdio") / ".bin" / "mcp-server-filesystem"),
        ],
        given,
        task_set.servers,
    ) as setting:
        part = _transcripts(options, task_set).with_suffix(_PART)
        sessions, absent = _play(task_set, systems, setting, todo, part)
    return _finish(options, task_set, sessions, absent)


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
        choices=[OURS, *SYSTEMS],
        help="this system; may be repeated. assay: all of its own, without peers",
    )
    add(
        "--set",
        action="append",
        choices=[*SETS],
        help="these tasks alone: the 40 questions, or the five files that fill a context",
    )
    add("--task", action="append", help="this task, by its name; may be repeated")
    add(
        "--endpoint",
        help="URL of an installation of Assay, with the key in ASSAY_API_KEY, instead of local"
        " mode: the tables are uploaded, and stay. Systems that call tools of other servers are"
        " left out",
    )
    add("--results", type=Path, default=REPOSITORY / "bench" / "results")
    add("--ranges", type=Path, default=REPOSITORY / "bench" / "ranges")
    add(
        "--write-baseline",
        action="store_true",
        help="write what later runs may exceed by 3 %% at most",
    )
    return parser


def _check_names(names: Sequence[str] | None, chosen: Iterable[TaskSet]) -> None:
    known = {task.name for task_set in chosen for task in task_set.load()}
    unknown = sorted(set(names or ()) - known)
    if unknown:
        raise SystemExit(f"dev/bench economy: there is no task {unknown[0]}")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _modules(outside: Outside, client: str = "inspector") -> Path:
    return outside.clients / client / "node_modules"


def _node(outside: Outside, client: str) -> Path:
    """The Node.js that was installed with a client."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return _modules(outside, client) / f"node-linux-{machine}" / "bin" / "node"


def _given(url: str | None, its_tables: Tables) -> Endpoint | None:
    if url is None:
        return None
    front_end = FrontEnd(url.rstrip("/"), os.environ["ASSAY_API_KEY"])
    for name in its_tables.names:
        front_end.upload(name, its_tables.path(name), {"replace": "true"})
    return Endpoint(front_end.url, front_end.key)


def _transcripts(options: argparse.Namespace, task_set: TaskSet) -> Path:
    results: Path = options.results
    results.mkdir(parents=True, exist_ok=True)
    return results / f"{task_set.phase}-transcripts.jsonl"


def _play(
    task_set: TaskSet,
    chosen: Sequence[System],
    setting: Setting,
    todo: Sequence[Task],
    part: Path,
) -> tuple[list[Session], list[str]]:
    """Two systems at a time; what is absent is named, with the reason.

    Whoever is interrupted has those that were played in the file `part`.
    """
    names = {system.name for system in chosen}
    absent = [f"{name} ({why})" for name, why in task_set.never_present.items()]
    absent += [
        f"{system.name} {_NOT_ASKED_FOR}" for system in task_set.systems if system.name not in names
    ]
    played: dict[str, Session] = {}
    sessions: list[Session] = []
    for system, outcome in _outcomes(task_set, chosen, setting, todo):
        if isinstance(outcome, PeerError):
            absent.append(f"{system.name} (it {outcome})")
            continue
        if outcome.ended is not None:
            absent.append(f"{system.name} from there on ({outcome.ended})")
        played[system.name] = outcome
        sessions = [played[one.name] for one in chosen if one.name in played]
        transcript.write(sessions, part)
    return sessions, absent


def _outcomes(
    task_set: TaskSet, chosen: Sequence[System], setting: Setting, todo: Sequence[Task]
) -> Iterator[tuple[System, Session | PeerError]]:
    """What was played with each system, as it ends; raises what else ends one."""
    waiting, connecting = list(chosen), threading.Lock()
    ended: queue.SimpleQueue[tuple[System, Session | Exception]] = queue.SimpleQueue()

    def play() -> None:
        with contextlib.suppress(IndexError):
            while True:
                system = waiting.pop(0)
                print(f"dev/bench: {task_set.phase}: {system.name}", file=sys.stderr, flush=True)
                try:
                    ended.put((system, _session(system, setting, todo, connecting)))
                except Exception as error:
                    ended.put((system, error))

    for _ in range(_AT_ONCE):
        # Nothing waits for them where the command is interrupted.
        threading.Thread(target=play, daemon=True).start()
    for _ in chosen:
        system, outcome = ended.get()
        if isinstance(outcome, Exception) and not isinstance(outcome, PeerError):
            raise outcome
        yield system, outcome


def _session(
    system: System, setting: Setting, todo: Sequence[Task], connecting: threading.Lock
) -> Session:
    """Play with one system.

    Args:
        connecting: held while a connection is made, for which `setting` starts what is shared.
    """
    policy = policies.load(system.name, system.policies)
    with contextlib.ExitStack() as ending:
        with connecting:
            connection = ending.enter_context(connected(system, setting))
        listing: Listing = connection.listing()
        player = Player(policy, connection, listing, setting.tables)
        transcripts, ended = player.play_all([task for task in todo if task.has(policy.language)])
    return Session(system.name, system.version, listing, transcripts, ended)


def _finish(
    options: argparse.Namespace,
    task_set: TaskSet,
    sessions: Sequence[Session],
    absent: Sequence[str],
) -> list[str]:
    """Count, compare and write; returns what is not as it has to be."""
    results: Path = options.results
    lines = _transcripts(options, task_set)
    transcript.write(sessions, lines)
    lines.with_suffix(_PART).unlink(missing_ok=True)
    counted = counts.count(lines)
    played = [Played(session, counted[session.system]) for session in sessions]
    compared = whole_files.compared if task_set.references else figures.compared
    result = Result(
        task_set.phase,
        {},
        {**figures.of_systems(played), **compared(played)},
        conditions=_conditions(options, sessions),
        absent=absent,
    )
    (results / f"{task_set.phase}.json").write_text(as_json(result))
    page = report.tables(result, task_set.load(), played)
    (results / f"{task_set.phase}.md").write_text(page)
    report.draw(played, results / f"{task_set.phase}.svg")
    picture = results / f"{task_set.phase}-summary.svg"
    report.draw_summary(played, picture)
    (results / f"{task_set.phase}-summary.md").write_text(
        report.summary(result, played, f"bench/results/{picture.name}")
    )
    print(page)
    found = [f"{task_set.phase}: {name}" for name in absent if _is_needed(task_set, name)]
    # Of some tasks there are no ranges.
    if options.task is None:
        found += _outside(options, task_set, result, played)
    return found


def _outside(
    options: argparse.Namespace, task_set: TaskSet, result: Result, played: Sequence[Played]
) -> list[str]:
    """What is outside of its range, or has grown."""
    baseline: Path = options.ranges / f"{task_set.phase}-baseline.json"
    if options.write_baseline:
        baseline.write_text(json.dumps(figures.baseline_of(played), indent=1) + "\n")
    # What is absent in every run leaves no figure out.
    known = tuple(f"{name} (" for name in task_set.never_present)
    absent = [name for name in result.absent if not name.startswith(known)]
    found = violations(replace(result, absent=absent), options.ranges)
    if baseline.exists():
        found += figures.grown(played, json.loads(baseline.read_text()))
    return found


def _is_needed(task_set: TaskSet, absent: str) -> bool:
    """Whether what is absent was asked for, and is one of ours or what ours is divided by."""
    is_compared = absent.startswith((f"{OURS}-", *task_set.references))
    return is_compared and not absent.endswith(_NOT_ASKED_FOR)


def _conditions(options: argparse.Namespace, sessions: Sequence[Session]) -> dict[str, str]:
    versions = {session.system: session.version for session in sessions if session.version}
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "command": shlex.join(["./dev/bench", "economy", *options.given]),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, Python {sys.version.split()[0]}",
        **{f"version of {name}": version for name, version in versions.items()},
    }
