"""The command `assay-client`, whose options and exit codes are those of `assay`."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, cast

from assay_client._errors import AssayError
from assay_client._text import age, duration, one_line, printable, say, size, table, word

if TYPE_CHECKING:
    from assay_client._client import Client, Dataset, Run, Table

DONE, CODE, USAGE, ENDPOINT, PLATFORM, MACHINE, INTERNAL = range(7)
TIMED_OUT, CANCELLED = 124, 130
_EXIT_CODES = f"""exit codes:
  {DONE}    done; of a run: it succeeded
  {CODE}    the code of a run raised, ended with an error, or was refused by the guard
  {USAGE}    the command line is wrong, or a file that it names cannot be read or written
  {ENDPOINT}    the endpoint could not be reached, or refused the request
  {PLATFORM}    a run failed for another reason than its code, or a dataset could not be loaded
  {MACHINE}    the machine lacks something, or an environment variable is invalid
  {INTERNAL}    an error in the command itself; ASSAY_LOG_LEVEL=DEBUG prints where
  {TIMED_OUT}  a run took longer than its time limit
  {CANCELLED}  a run was cancelled, or the command was interrupted"""
_LISTS = {
    "names",
    "usecols",
    "parse_dates",
    "na_values",
    "true_values",
    "false_values",
    "convert_dates",
    "columns",
}
_MIN_REPORTED = 8 * 1024 * 1024


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    given = _parser().parse_args(arguments)
    try:
        return cast(int, given.command(given))
    except AssayError as e:
        say(_with_commands(str(e)))
        return _exit_code(e)
    except BrokenPipeError:
        # Nobody reads standard output any more, as in a pipe to head.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return CANCELLED
    except Exception as e:
        say(f"an error in the command itself ({type(e).__name__}: {e}): please report it")
        if os.environ.get("ASSAY_LOG_LEVEL") == "DEBUG":
            import traceback

            traceback.print_exc()
        return INTERNAL


def _exit_code(error: AssayError) -> int:
    from assay_client._errors import RunFailed

    if isinstance(error, RunFailed):
        return _exit_code_of(error.run)
    codes = {
        "Usage": USAGE,
        "BadFile": USAGE,
        "NotSaved": USAGE,
        "Environment": MACHINE,
        "DatasetFailed": PLATFORM,
        "Cancelled": CANCELLED,
    }
    return codes.get(error.code, ENDPOINT)


def _exit_code_of(run: Run) -> int:
    if run.phase == "Succeeded":
        return DONE
    if run.phase == "TimedOut":
        return TIMED_OUT
    if run.phase == "Cancelled":
        return CANCELLED
    return CODE if run.reason in {"CodeError", "GuardRefused"} else PLATFORM


def _with_commands(message: str) -> str:
    """Advice of REST, with commands in place of requests, and options in place of fields."""
    for request, command in _COMMANDS:
        message = re.sub(request, command, message)
    return message


_COMMANDS = (
    (r"POST /api/v1/datasets creates '[^']*'", "'assay-client datasets load NAME FILE' creates it"),
    (r"PUT /api/v1/datasets/\w[\w.-]*", "'assay-client datasets load NAME FILE'"),
    (r"GET /api/v1/datasets/(\w[\w.-]*)", r"'assay-client datasets describe \1'"),
    (r"GET /api/v1/datasets", "'assay-client datasets ls'"),
    (r"GET /api/v1/runs/(\w[\w.-]*)/artifacts", r"'assay-client artifacts ls \1'"),
    (r"GET /api/v1/runs/(\w[\w.-]*)(/output)?", r"'assay-client logs \1'"),
    (r"GET /api/v1/runs", "'assay-client runs'"),
    (r"set 'replace' to true", "add --replace"),
    (r"^'replyRows'", "--limit"),
    (r"^'timeoutSeconds'", "--timeout"),
    (r"^'(runClass|snapshotClass)'", "--class"),
    (r"^'(dataset|datasets)'", "--dataset"),
    (r"^'options'", "--option"),
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Not the whole usage, in which the message would be lost."""
        say(message)
        say(f"see '{self.prog} --help'")
        sys.exit(USAGE)


def _parser() -> argparse.ArgumentParser:
    from assay_client import __version__

    parser = _Parser(
        prog="assay-client",
        description="Runs SQL and Python over the datasets of an endpoint of Assay.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"assay-client {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    bridge = _command(
        commands,
        "mcp-stdio",
        "MCP on standard input and output, for clients that start a command",
        _mcp_stdio,
    )
    bridge.add_argument(
        "--data",
        metavar="DIR",
        type=Path,
        help="offer the tables of a folder as datasets: each is uploaded when a call first names"
        " it, and again when it has changed",
    )

    run = _command(
        commands, "run", "run code and print its output as it comes; Ctrl-C cancels the run", _run
    )
    run.add_argument("file", nargs="?", metavar="FILE", help="the code; - for standard input")
    run.add_argument("-c", "--code", metavar="CODE", help="the code itself")
    run.add_argument(
        "-d",
        "--dataset",
        metavar="NAME",
        action="append",
        default=[],
        help="a dataset for the code; repeat it for more",
    )
    run.add_argument(
        "--language",
        metavar="LANGUAGE",
        help="python, polars, sql, javascript or typescript; by default that of FILE's ending",
    )
    run.add_argument(
        "--class", dest="run_class", metavar="NAME", help="the RunClass; the usual one by default"
    )
    run.add_argument("-t", "--timeout", metavar="SECONDS", type=int, help="time limit of the code")
    run.add_argument(
        "--detach",
        action="store_true",
        help="print the run's name and exit, without waiting for its end",
    )
    _output(run)

    query = _command(commands, "query", "execute a query in SQL and print its rows", _query)
    query.add_argument("sql", metavar="SQL", help="the query; - for standard input")
    query.add_argument(
        "-d",
        "--dataset",
        metavar="NAME",
        action="append",
        help="a dataset that it reads; by default those that it names",
    )
    query.add_argument(
        "-n",
        "--limit",
        metavar="N",
        type=int,
        default=100,
        help="maximum number of rows, 1 to 1000 (default: 100)",
    )
    query.add_argument(
        "-t", "--timeout", metavar="SECONDS", type=int, help="time limit of the query"
    )
    _output(query, "csv")

    runs = _command(commands, "runs", "list runs, newest first", _runs)
    runs.add_argument(
        "-n",
        "--limit",
        metavar="N",
        type=int,
        default=20,
        help="maximum number of runs, 1 to 500 (default: 20)",
    )
    runs.add_argument(
        "--phase", metavar="PHASE", help="only runs in this phase, such as Running or Failed"
    )
    _output(runs)

    logs = _command(commands, "logs", "print the output of a run", _logs)
    logs.add_argument("run", metavar="RUN")
    logs.add_argument(
        "-f", "--follow", action="store_true", help="continue until the run has ended"
    )
    cancel = _command(commands, "cancel", "stop a run", _cancel)
    cancel.add_argument("run", metavar="RUN")

    datasets = _group(commands, "datasets", "list, show, load and remove datasets")
    _output(_command(datasets, "ls", "list datasets", _datasets_ls))
    describe = _command(datasets, "describe", "show a dataset with its columns", _datasets_describe)
    describe.add_argument("name", metavar="NAME")
    _output(describe)
    load = _command(
        datasets, "load", "upload a file as a dataset, and wait until it is ready", _datasets_load
    )
    load.add_argument("name", metavar="NAME")
    load.add_argument(
        "file",
        metavar="FILE",
        help="CSV, TSV, JSON, NDJSON, Parquet, Feather or Excel, also as .gz or .zip",
    )
    load.add_argument("--format", metavar="FORMAT", help="by default from the ending of the file")
    load.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="an option of the pandas reader; repeat it for more: --option sep=';'",
    )
    load.add_argument(
        "--class", dest="snapshot_class", metavar="NAME", help="the RunClass that reads it"
    )
    load.add_argument(
        "--replace", action="store_true", help="replace the dataset that has this name"
    )
    _output(load)
    _command(datasets, "rm", "remove a dataset", _datasets_rm).add_argument("name", metavar="NAME")

    artifacts = _group(commands, "artifacts", "list and download the files that a run has left")
    listing = _command(artifacts, "ls", "list the files", _artifacts_ls)
    listing.add_argument("run", metavar="RUN")
    _output(listing)
    get = _command(artifacts, "get", "download the files", _artifacts_get)
    get.add_argument("run", metavar="RUN")
    get.add_argument("path", nargs="?", metavar="PATH", help="one file; all by default")
    get.add_argument(
        "-o",
        "--output",
        metavar="FILE|DIR",
        help="of one file its name, a folder, or - for standard output; of all a folder (default:"
        " one with the run's name)",
    )
    get.add_argument("--force", action="store_true", help="replace files that exist")
    return parser


def _group(commands: Any, name: str, help_: str) -> Any:
    group = commands.add_parser(name, help=help_, description=help_, allow_abbrev=False)
    return group.add_subparsers(required=True, metavar="COMMAND")


def _command(
    commands: Any, name: str, help_: str, command: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = cast(
        argparse.ArgumentParser,
        commands.add_parser(name, help=help_, description=help_, allow_abbrev=False),
    )
    parser.set_defaults(command=command)
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="the URL of Assay; by default ASSAY_ENDPOINT, or http://127.0.0.1:8787, where local"
        " mode listens",
    )
    parser.add_argument(
        "--key-file",
        metavar="FILE",
        help="a file with the API key; the key itself may be in ASSAY_API_KEY",
    )
    return parser


def _output(parser: argparse.ArgumentParser, *further: str) -> None:
    parser.add_argument(
        "--output",
        dest="form",
        choices=("text", "json", *further),
        default="text",
        help="json prints the objects of the REST API",
    )


def _client(given: argparse.Namespace) -> Client:
    from assay_client._client import Client

    return Client(given.endpoint, key_file=given.key_file)


def _mcp_stdio(given: argparse.Namespace) -> int:
    from assay_client import _http
    from assay_client._bridge import Bridge, parent_watch

    endpoint = _http.find_endpoint(given.endpoint, key_file=given.key_file)
    data = None
    if given.data is not None:
        from assay_client import _folder
        from assay_client._data import OfferedData
        from assay_client._uploads import Uploads

        folder = Path(os.path.abspath(given.data))
        found = _folder.read(folder)
        for sentence in found.not_offered:
            say(f"not offered: {sentence}")
        say(f"offers {len(found.tables)} tables of {folder} at {endpoint.url}")
        data = OfferedData(folder, Uploads(endpoint, _http.state_folder() / "uploads", say))
    signal.signal(signal.SIGTERM, _end)
    # Unbuffered: a thread that is writing at the end of the process must hold no lock.
    with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as out:
        Bridge(endpoint, cast(BinaryIO, out), data).run(sys.stdin.buffer, parent_watch())
    return DONE


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _run(given: argparse.Namespace) -> int:
    client = _client(given)
    code, language = _code(given)
    body = {
        "code": code,
        "language": language,
        "dataset": given.dataset[0] if given.dataset else None,
        "datasets": given.dataset[1:] or None,
        "runClass": given.run_class,
        "timeoutSeconds": given.timeout,
    }
    import uuid

    key = uuid.uuid4().hex
    name = None
    # Whoever ends the command does not want the run.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        created = client.create_run(body, key)
        name = str(created.get("name"))
        if given.detach:
            print(_json(created) if given.form == "json" else one_line(name))
            return DONE
        _copy(client, name, follow=True, shown=given.form != "json")
        ended = client.get_run(name)
    except KeyboardInterrupt:
        # The same key: if the endpoint has the run, this returns its name.
        client.cancel(name or str(client.create_run(body, key).get("name")))
        raise
    except AssayError:
        if name is not None:
            say(
                f"the run may still be running: 'assay-client logs -f {word(name, 'RUN')}' follows"
                f" it, 'assay-client cancel {word(name, 'RUN')}' stops it"
            )
        raise
    if given.form == "json":
        print(_json(ended.json))
    else:
        _print_end(ended)
    return _exit_code_of(ended)


def _code(given: argparse.Namespace) -> tuple[str, str]:
    by_ending = {".sql": "sql", ".js": "javascript", ".ts": "typescript"}
    if (given.code is None) == (given.file is None):
        raise AssayError("Usage", "give either FILE or --code")
    if given.code is not None:
        return given.code, given.language or "python"
    language = given.language or by_ending.get(Path(given.file).suffix.lower(), "python")
    if given.file == "-":
        return _standard_input(), language
    try:
        return Path(given.file).read_text(encoding="utf-8"), language
    except (OSError, ValueError):
        raise AssayError("Usage", f"{given.file} cannot be read, or is not UTF-8 text") from None


def _standard_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _copy(client: Client, run: str, *, follow: bool, shown: bool = True) -> None:
    """Prints output as it comes."""
    write = _standard_output()
    for chunk in client.output(run, follow=follow):
        if shown:
            write(chunk)


def _standard_output() -> Callable[[bytes], None]:
    """Where bytes of others go: a file or a pipe gets them all, a terminal escapes of controls."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    is_terminal = sys.stdout.isatty()

    def write(chunk: bytes) -> None:
        if is_terminal:
            sys.stdout.write(printable(decoder.decode(chunk)))
            sys.stdout.flush()
        else:
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()

    return write


def _print_end(run: Run) -> None:
    error = run.error
    if error:
        code = f" [{error['code']}]" if error.get("code") else ""
        traceback = str(error.get("traceback", "")).rstrip()
        is_sentence = error.get("type") == "GuardRefused" or not traceback
        text = f"{error.get('type')}{code}: {error.get('message')}" if is_sentence else traceback
        print(printable(text), file=sys.stderr)
    if run.value is not None:
        print(printable(f"value: {json.dumps(run.value, ensure_ascii=False)}"), file=sys.stderr)
    if run.phase != "Succeeded":
        say(
            f"run {run.name}: {run.phase}, {run.message or run.reason}"
            f" ({duration(run.json.get('durationMs'))})"
        )


def _query(given: argparse.Namespace) -> int:
    sql = _standard_input() if given.sql == "-" else given.sql
    found = _client(given).query(
        sql, datasets=given.dataset, limit=given.limit, timeout_seconds=given.timeout
    )
    if given.form == "json":
        print(
            _json(
                {
                    "columns": [list(c) for c in found.columns],
                    "rows": found.rows,
                    "totalRows": found.total_rows,
                }
            )
        )
    elif given.form == "csv":
        _print_csv(found)
    else:
        for line in table(
            [name for name, _ in found.columns], [[_cell(v) for v in row] for row in found.rows]
        ):
            print(line)
    if found.is_truncated:
        say(
            f"{len(found.rows)} of {found.total_rows} rows: --limit shows up to 1000, and"
            f" 'assay-client artifacts get {word(found.run.name, 'RUN')}' downloads up to 10000"
        )
    for warning in found.warnings:
        say(warning)
    return DONE


def _print_csv(found: Table) -> None:
    import csv

    safe = one_line if sys.stdout.isatty() else str
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([safe(name) for name, _ in found.columns])
    writer.writerows(
        [["" if value is None else safe(_cell(value)) for value in row] for row in found.rows]
    )


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _runs(given: argparse.Namespace) -> int:
    found = _client(given).runs(limit=given.limit, phase=given.phase)
    if given.form == "json":
        print(_json({"items": [run.json for run in found]}))
        return DONE
    rows = [
        (
            run.name,
            run.phase,
            run.reason or "-",
            run.json.get("dataset", "-"),
            duration(run.json.get("durationMs")),
            age(run.json.get("createdAt")),
        )
        for run in found
    ]
    _print_table(("NAME", "PHASE", "REASON", "DATASET", "DURATION", "AGE"), rows, "No runs.")
    return DONE


def _logs(given: argparse.Namespace) -> int:
    _copy(_client(given), given.run, follow=given.follow)
    return DONE


def _cancel(given: argparse.Namespace) -> int:
    run = _client(given).cancel(given.run)
    say(f"run {run.name}: {run.phase if run.has_ended else 'asked to stop'}")
    return DONE


def _datasets_ls(given: argparse.Namespace) -> int:
    found = _client(given).datasets()
    if given.form == "json":
        print(_json({"items": [one.json for one in found]}))
        return DONE
    rows = [
        (
            one.name,
            one.phase,
            "-" if one.rows is None else one.rows,
            one.json.get("columnCount", "-"),
            one.json.get("format", "-"),
            age(one.json.get("createdAt")),
            one.message,
        )
        for one in found
    ]
    _print_table(
        ("NAME", "PHASE", "ROWS", "COLUMNS", "FORMAT", "AGE", "MESSAGE"), rows, "No datasets."
    )
    return DONE


def _datasets_describe(given: argparse.Namespace) -> int:
    found = _client(given).dataset(given.name)
    if given.form == "json":
        print(_json(found.json))
        return DONE
    facts = [
        ("Name:", found.name),
        ("Phase:", found.phase),
        *((label, found.json[key]) for label, key in _FACTS if key in found.json),
        ("Age:", age(found.json.get("createdAt"))),
    ]
    for line in table(facts[0], facts[1:]):
        print(line)
    columns = found.json.get("columns")
    if columns:
        print()
        rows = [
            (
                c.get("name"),
                c.get("type"),
                c.get("nulls", 0),
                ", ".join(map(str, c.get("samples", []))),
            )
            for c in columns
        ]
        _print_table(("COLUMN", "TYPE", "MISSING", "SAMPLES"), rows, "")
    notes = found.json.get("notes")
    if notes:
        print()
        rows = [(n.get("column", ""), n.get("message", ""), n.get("option", ""), "") for n in notes]
        _print_table(("NOTE ON", "NOTE", "OPTION", ""), rows, "")
    return DONE


_FACTS = (
    ("Message:", "message"),
    ("Format:", "format"),
    ("Rows:", "rows"),
    ("Columns:", "columnCount"),
    ("Source bytes:", "bytes"),
    ("Memory bytes:", "memoryBytes"),
)


def _datasets_load(given: argparse.Namespace) -> int:
    reported = time.monotonic()
    total = Path(given.file).stat().st_size if Path(given.file).is_file() else 0

    def sent(count: int) -> None:
        nonlocal reported
        if total >= _MIN_REPORTED and (time.monotonic() - reported > 1 or count == total):
            reported = time.monotonic()
            say(f"uploading {given.file}: {size(count)} of {size(total)}")

    found = _client(given).load(
        given.name,
        given.file,
        format=given.format,
        options=_options(given.option),
        snapshot_class=given.snapshot_class,
        replace=given.replace,
        sent=sent,
    )
    if given.form == "json":
        print(_json(found.json))
    else:
        print(one_line(_loaded(found)))
    notes = found.json.get("notes")
    if notes and given.form != "json":
        column = f"{notes[0]['column']}: " if notes[0].get("column") else ""
        more = (
            f" [and {len(notes) - 1} more: assay-client datasets describe"
            f" {word(found.name, 'NAME')}]"
            if len(notes) > 1
            else ""
        )
        say(f"note: {column}{notes[0].get('message', '')}{more}")
    return DONE


def _loaded(found: Dataset) -> str:
    if found.phase != "Ready":
        return f"{found.name}: {found.phase}"
    return f"{found.name}: {found.rows} rows, {found.json.get('columnCount')} columns"


def _options(given: Sequence[str]) -> dict[str, Any]:
    """Options as JSON where they are; other values are texts."""
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise AssayError("Usage", f"--option: expected NAME=VALUE, not '{text}'")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value.replace("\\t", "\t")
        if name in _LISTS and not isinstance(options[name], (list, bool)):
            options[name] = [value]
    return options


def _datasets_rm(given: argparse.Namespace) -> int:
    _client(given).delete_dataset(given.name)
    return DONE


def _artifacts_ls(given: argparse.Namespace) -> int:
    found = _client(given).artifact_list(given.run)
    if given.form == "json":
        print(_json(found))
        return DONE
    rows = [
        (a.get("path"), a.get("bytes"), a.get("mediaType", "-")) for a in found.get("items", [])
    ]
    _print_table(("PATH", "BYTES", "TYPE"), rows, "No artifacts.")
    if found.get("message"):
        say(str(found["message"]))
    return DONE


def _artifacts_get(given: argparse.Namespace) -> int:
    from assay_client import _artifacts

    client = _client(given)
    found = client.artifact_list(given.run)
    if given.path is None:
        root = Path(given.output or given.run)
        for artifact in found.get("items", []):
            _save(
                client,
                given,
                artifact,
                _artifacts.local_path(root, str(artifact.get("path"))),
                root,
            )
        if found.get("message"):
            say(str(found["message"]))
        return DONE
    artifact = _artifacts.find(found, given.run, given.path)
    if given.output == "-":
        _artifacts.download(client.endpoint, given.run, artifact, _standard_output())
    elif given.output is None or Path(given.output).is_dir():
        root = Path(given.output or ".")
        target = _artifacts.local_path(root, given.path.rsplit("/", 1)[-1])
        _save(client, given, artifact, target, root)
    else:
        _save(client, given, artifact, Path(given.output), Path(given.output).absolute().parent)
    return DONE


def _save(
    client: Client, given: argparse.Namespace, artifact: dict[str, Any], target: Path, root: Path
) -> None:
    from assay_client import _artifacts

    saved = _artifacts.save(
        target,
        root,
        lambda out: _artifacts.download(client.endpoint, given.run, artifact, out.write),
        replaces=given.force,
    )
    say(f"saved {saved}, {artifact.get('bytes')} bytes")


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[object]], none: str) -> None:
    for line in table(headings, rows) if rows else [none]:
        print(line)


def _json(value: object) -> str:
    """With ASCII alone, so that no character can change what a terminal shows."""
    return json.dumps(value, indent=2)
