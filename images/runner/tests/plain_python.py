"""What plain Python does with a script, and whether a run did the same."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from runner_client import Finished

SNIPPETS = Path(__file__).parent / "snippets"
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "python-snippets.md"
# Of results whose error Python does not print as a traceback.
_WITHOUT_TRACEBACK = ("SystemExit", "ProcessEnded")
_ADDRESS = re.compile("0x[0-9a-f]{6,}")
_TIME_LIMIT_SECONDS = 120

_PAGE = """# Snippets that run as plain Python runs them

<!-- Generated: see CONTRIBUTING.md -->

The tests run each of the {count} scripts of `images/runner/tests/snippets` by `python -u main.py`, and as a run with the same interpreter and libraries, in a Pod of its own and in a [warm one](run-classes.md#warm-pods). Output, exit code and signal are equal, byte for byte; a traceback that Python prints is the one that a run reports instead. [Python in a run](python.md) says how code ends.

## Differences

| script | reason |
|---|---|
{different}
| Installs a package | The image has no pip, and there is no network: [build an image](run-classes.md#more-python-packages). |

The order of output is that of `python -u`, because each `print` is written at once.

## Equal

| script | file |
|---|---|
{same}
"""


class Ended(NamedTuple):
    """How a script ended.

    Attributes:
        text: stdout and stderr, in the order of writing.
        exit_code: negative for a signal.
    """

    text: str
    exit_code: int


def snippets(*groups: str) -> list[Path]:
    """Return the scripts of the groups, or of all but those that differ."""
    paths = sorted(SNIPPETS.glob("*/*.py"))
    return [path for path in paths if (path.parent.name in groups if groups else not differs(path))]


def differs(path: Path) -> bool:
    """Return whether a run is meant to differ."""
    return path.parent.name == "differs"


def files(path: Path) -> list[dict[str, str]]:
    """Return the files of the call: those in the folder that is named like the script."""
    folder = path.with_suffix("")
    return [
        {"path": str(file.relative_to(folder)), "text": file.read_text()}
        for file in sorted(folder.rglob("*.py"))
    ]


def page() -> str:
    """Return the table of the documentation."""
    same = [f"| {_title(path)} | `{path.parent.name}/{path.name}` |" for path in snippets()]
    different = [
        f"| {_title(path)} | {_comment(path, 1).removeprefix('Why: ')} |"
        for path in snippets("differs")
    ]
    return _PAGE.format(count=len(same), same="\n".join(same), different="\n".join(different))


def _title(path: Path) -> str:
    return _comment(path, 0).replace("|", "\\|")


def _comment(path: Path, line: int) -> str:
    return path.read_text().splitlines()[line].removeprefix("# ")


def _default_signals() -> None:
    # A shell that starts the tests in the background lets them ignore SIGINT and SIGQUIT, and nohup
    # SIGHUP.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def run_plain(
    interpreter: str, snippet: Path, directory: Path, environment: Mapping[str, str]
) -> Ended:
    """Run `python -u main.py`: in a run, the order of output is that of an unbuffered Python."""
    directory.mkdir()
    for file in files(snippet):
        (directory / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        (directory / file["path"]).write_text(file["text"])
    (directory / "main.py").write_text(snippet.read_text())
    done = subprocess.run(
        [interpreter, "-u", "main.py"],
        cwd=directory,
        env=environment,
        preexec_fn=_default_signals,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_TIME_LIMIT_SECONDS,
        check=False,
    )
    return Ended(_shortened(done.stdout.decode("utf-8", "replace"), directory), done.returncode)


def of_run(finished: Finished, workspace: Path) -> tuple[Ended, str | None]:
    """Return how a run ended, and the traceback that its output does not have."""
    status = finished.result["exit"]
    exit_code = status["code"] if status["signal"] is None else -status["signal"]
    error = finished.error
    trace = None
    if error is not None and error["type"] not in _WITHOUT_TRACEBACK:
        trace = _shortened(f"{error['traceback']}\n", workspace)
    return Ended(
        _shortened(finished.output.decode("utf-8", "replace"), workspace), exit_code
    ), trace


def with_traceback(run: Ended, trace: str | None, plain: Ended) -> Ended:
    """Put the traceback where plain Python has printed it, unless the code has its own hook."""
    before, found, after = plain.text.partition(trace or "\0")
    if found and run.text == before + after:
        return run._replace(text=plain.text)
    return run


def _shortened(text: str, directory: Path) -> str:
    """Name the script as a run does in its errors, whatever directory it is in."""
    for path in (f"{directory}/", "/proc/self/cwd/"):
        text = text.replace(path + "main.py", "main.py")
    return _ADDRESS.sub("0x", text.replace(str(directory), "/workspace"))


if __name__ == "__main__":
    DOCUMENTATION.write_text(page())
