"""A Python interpreter for one task: reads code as JSON lines, and answers what it printed.

Runs on its own, as `repl.py`. The value of a last expression is printed, as interpreters do.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
import traceback
from typing import Any

_OWN_FRAMES = 2


def run(code: str, names: dict[str, Any]) -> tuple[str, bool]:
    """What code prints, and whether it ended without an exception."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            _execute(code, names)
        except Exception as error:
            frames = error.__traceback__
            for _ in range(_OWN_FRAMES):
                frames = frames and frames.tb_next
            traceback.print_exception(type(error), error, frames, file=output)
            return output.getvalue(), False
    return output.getvalue(), True


def _execute(code: str, names: dict[str, Any]) -> None:
    tree = ast.parse(code, "<python>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<python>", "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<python>", "eval"), names)
        if value is not None:
            print(repr(value))


def main() -> None:
    """Answer until standard input ends."""
    names: dict[str, Any] = {"__name__": "__main__"}
    answers = sys.stdout
    for line in sys.stdin:
        output, ok = run(json.loads(line), names)
        answers.write(json.dumps({"output": output, "ok": ok}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
