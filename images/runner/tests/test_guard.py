"""The guard's verdicts: those of the documentation, and on code that attacks the guard itself."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from assay_runner.guard import (
    ALLOWED_MODULES,
    Policy,
    Violation,
    alternatives,
    check,
    message,
)
from assay_runner.parsable import MAX_SOURCE_BYTES, MAX_TOKENS
from assay_runner.worker.refusal import refusal

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "code-mode.md"
SECURITY = DOCUMENTATION.with_name("security.md")
_CODE = re.compile(r"`([^`]+)`")


def verdicts() -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the snippets of the documentation, with the patterns and lines that are refused."""
    table = DOCUMENTATION.read_text().partition("| snippet | verdict | line |\n|---|---|---|\n")[2]
    rows = []
    for row in table.partition("\n\n")[0].splitlines():
        snippet, verdict, lines = (
            cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]
        )
        patterns = _CODE.findall(verdict.partition(":")[2])
        numbers = [int(number) for number in re.findall(r"\d+", lines)]
        assert verdict.startswith("refused" if patterns else "allowed"), row
        code = "\n".join(_CODE.findall(snippet))
        rows.append((code, list(zip(patterns, numbers, strict=True))))
    return rows


@pytest.mark.parametrize(("code", "expected"), verdicts(), ids=lambda value: str(value)[:40])
def test_a_verdict_is_that_of_the_documentation(code: str, expected: list[tuple[str, int]]) -> None:
    found = check(code, Policy())
    assert [(violation.pattern, violation.line) for violation in found] == expected


def test_the_documentation_has_verdicts_of_both_kinds_and_the_allow_list() -> None:
    rows = verdicts()
    assert len([1 for _, expected in rows if expected]) > 15
    assert len([1 for _, expected in rows if not expected]) > 8
    text = DOCUMENTATION.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("Allowed modules: ")]
    assert set(_CODE.findall(line)) == ALLOWED_MODULES


def test_a_violation_has_what_the_structured_error_shows() -> None:
    assert check("x = 1\n\nimport os\n", Policy()) == [
        Violation("import os", 3, "high", "Operating system access not allowed")
    ]


def test_a_module_that_nobody_knows_is_less_severe() -> None:
    assert check("import networkx", Policy()) == [
        Violation("import networkx", 1, "medium", "Module not on the allow-list")
    ]


def test_a_class_can_allow_more() -> None:
    policy = Policy().extended(["networkx", "google.cloud"])
    assert check("import networkx.algorithms, google.protobuf", policy) == []
    assert len(check("import networkx2, numpy", policy)) == 1


def test_all_violations_are_told_at_once_with_what_to_do_instead() -> None:
    found = check("import os, socket\neval('1')\nopen('/etc/passwd')\n", Policy())
    assert message(found) == (
        "Code safety validation failed:\n"
        "- line 1: import os: Operating system access not allowed\n"
        "- line 1: import socket: Network access not allowed\n"
        "- line 2: eval: Dynamic code execution not allowed\n"
        "- line 3: open('/etc/passwd'): Files outside of the working directory not allowed"
    )
    assert alternatives(found) == [
        "Use pathlib for files of the working directory",
        "Load the data as a dataset first, and name it in the call",
        "Use json.loads for data, and DataFrame.eval or query for expressions",
        "Use a path relative to the working directory, such as data/raw/...",
    ]


def test_each_reason_has_an_alternative() -> None:
    source = (
        "import os, subprocess, socket, sys, networkx\nfrom . import x\n"
        "eval, exec, compile, __import__, globals, breakpoint, __builtins__\n"
        "x.__globals__\nopen('/x')\n"
    )
    reasons = {violation.reason: violation for violation in check(source, Policy())}
    without = [reason for reason, found in reasons.items() if not alternatives([found])]
    assert without == ["Relative imports not allowed: a script is in no package"]


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        ("x = 1\nif", 2, "The code has a syntax error: invalid syntax"),
        ("x = 1\ny = '\0'", 2, "The code has null bytes"),
        ("(" * 90_000, 1, "The code has a syntax error: too many nested parentheses"),
        ("x = " + "-" * 90_000 + "1", 1, "The code is nested too deeply"),
        ("x" + ".y" * 45_000, 1, "The code is nested too deeply"),
        ("x = " + "not " * 60_000 + "1", 1, "The code is nested too deeply"),
        ("x = 1" + "+1" * 45_000, 1, "The code is nested too deeply"),
        ("lambda:" * 30_000 + "1", 1, "The code is nested too deeply"),
        ("x = '\ud800'", 1, "The code has a syntax error"),
        ("# coding: no-such\n", 1, "The code has a syntax error: unknown encoding"),
        ("x" * (MAX_SOURCE_BYTES + 1), 1, "The code has 262,145 bytes; at most 262,144"),
        ("é" * (MAX_SOURCE_BYTES // 2 + 1), 1, "The code has 262,146 bytes; at most 262,144"),
    ],
    ids=range(12),
)
def test_what_python_cannot_compile_is_refused(source: str, line: int, reason: str) -> None:
    (violation,) = check(source, Policy())
    assert (violation.pattern, violation.line, violation.severity) == ("syntax", line, "high")
    assert violation.reason.startswith(reason)
    assert len(violation.reason) <= 200


@pytest.mark.parametrize(
    ("source", "line"),
    [
        # Python 3.11 takes 200 MB for this one, and 17 GB for one of 256 KiB.
        ("x = 1\nimport json, " + "a." * 20_000 + "a", 2),
        ("from " + "a . \\\n " * 300 + "a import b", 1),
        ("import " + "a\u00b7." * 300 + "a", 1),
        ("# coding: unicode_escape\nimport " + "a\\x2e" * 300 + "a", 2),
        ("\r# coding: unicode_escape\rimport " + "a\\x2e" * 300 + "a", 3),
    ],
    ids=["import", "continued", "letters", "encoded", "returns"],
)
def test_a_module_name_that_takes_gigabytes_to_parse_is_refused(source: str, line: int) -> None:
    (violation,) = check(source, Policy())
    assert (violation.pattern, violation.line) == ("syntax", line)
    assert violation.reason == "The name of a module has over 200 dots"


@pytest.mark.parametrize(
    "source",
    ["x = 'import " + "." * 300 + "'", "x = 1\n# from here" + "\n# ....." * 100, "a;" * 300],
    ids=["text", "lines", "statements"],
)
def test_dots_outside_of_imports_are_no_names(source: str) -> None:
    assert check(source, Policy()) == []


def nested_blocks() -> str:
    return "".join(" " * depth + "if x:\n" for depth in range(300)) + " " * 300 + "pass\n"


@pytest.mark.parametrize(
    "source",
    ["import os", nested_blocks(), "x" + "[0]" * 5000, "f(" * 90 + ")" * 90, "a;" * 100_000],
    ids=["plain", "blocks", "subscripts", "calls", "line"],
)
def test_a_verdict_is_given_with_little_stack_left(source: str) -> None:
    def deep(left: int) -> list[Violation]:
        return check(source, Policy()) if left == 0 else deep(left - 1)

    depth = len(list(_frames()))
    for violation in deep(sys.getrecursionlimit() - depth - 120):
        assert violation.pattern in ("syntax", "import os")


def _frames() -> list[object]:
    frames, frame = [], sys._getframe()
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return frames


@pytest.mark.parametrize("unit", ["1,", "a,", "a.b\n", "f(a)\n", "x=1\n", "[]\n", "eval\n", "a\n"])
def test_as_many_tokens_as_there_may_be_are_judged(unit: str) -> None:
    count = MAX_TOKENS // len(re.findall(r"\w+|\W", unit))
    found = check(unit * count, Policy())
    assert len(found) == (count if "eval" in unit else 0)


@pytest.mark.parametrize(
    "unit", ["a,", "a\n", "-a;", "f(a)\n", "{}\n", "f'{a}{a}'\n", "rf'''{a}{a}'''\n"]
)
def test_code_of_more_tokens_is_refused_before_it_is_parsed(unit: str) -> None:
    (violation,) = check(unit * (MAX_SOURCE_BYTES // len(unit)), Policy())
    assert violation == Violation(
        "syntax",
        1,
        "high",
        "The code has more than 100,000 tokens: pass data as a dataset or in 'files'",
    )


@pytest.mark.parametrize(
    "source",
    [
        "x = '" + "1, " * 80_000 + "'",
        'x = rb"""' + "'1'\n" * 60_000 + '"""',
        "# " + "a b " * 60_000,
        "x = '" + "\\'" * 100_000 + "'",
        "x = " + "'abcdefgh' + " * 900 + "f'" + "; " * 100_000 + "'",
    ],
    ids=["text", "lines", "comment", "escapes", "f-string"],
)
def test_what_texts_and_comments_contain_does_not_count(source: str) -> None:
    assert check(source, Policy()) == []


@pytest.mark.parametrize("unit", ['"', "'", '"""', '"\\', "'''\\", 'f"{'])
def test_a_text_without_an_end_is_refused(unit: str) -> None:
    (violation,) = check("x = " + unit * (250_000 // len(unit)) + "(", Policy())
    assert violation.pattern == "syntax"


def test_a_declared_encoding_hides_nothing() -> None:
    # UTF-7, in which Python would run this as `import os`.
    assert check("# coding: utf-7\n+AGkAbQBwAG8AcgB0ACAAbwBz-\n", Policy()) == [
        Violation("import os", 2, "high", "Operating system access not allowed")
    ]


@pytest.mark.parametrize("encoding", ["idna", "undefined", "rot13", "bz2", "utf-16", "punycode"])
def test_a_strange_encoding_is_judged(encoding: str) -> None:
    assert check(f"# coding: {encoding}\nimport os\n", Policy())


def test_a_name_of_a_hundred_kilobytes_is_shortened() -> None:
    for source in (f"import {'x' * 100_000}", f"open('/{'x' * 100_000}')"):
        (violation,) = check(source, Policy())
        assert len(violation.pattern) <= 100


def test_a_warning_of_the_parser_is_not_printed(recwarn: pytest.WarningsRecorder) -> None:
    assert check("x = '\\d'", Policy()) == []
    assert not recwarn.list


def test_a_verdict_is_a_function_of_the_text_alone() -> None:
    code = "x = 1\nraise SystemExit"
    assert check(code, Policy()) == check(code, Policy()) == []


def bypasses() -> list[str]:
    """Return the expressions by which, as documented, code gets past the guard."""
    table = SECURITY.read_text().partition("| bypass | what stops it |\n|---|---|\n")[2]
    rows = table.partition("\n\n")[0].splitlines()
    return [_CODE.findall(row)[0] for row in rows]


@pytest.mark.parametrize("bypass", bypasses())
def test_a_documented_bypass_passes_the_guard(bypass: str) -> None:
    assert check(f"import pandas\n{bypass}", Policy()) == []


def test_a_refusal_has_the_error_of_the_run_and_all_violations_as_json() -> None:
    assert refusal("import pandas", []) is None
    assert refusal("import zlib", ["zlib"]) is None
    refused = refusal("x = 1\nimport os\n" + "eval\n" * 40_000, [])
    assert refused is not None
    assert (refused.error["type"], refused.error["line"]) == ("GuardRefused", 2)
    assert refused.error["message"].startswith(
        "Code safety validation failed:\n- line 2: import os: Operating system access not allowed\n"
    )
    assert len(refused.error["message"].encode()) <= 4096
    value = json.loads(refused.value)
    assert value["violations"][0] == {
        "pattern": "import os",
        "line": 2,
        "severity": "high",
        "reason": "Operating system access not allowed",
    }
    assert (len(value["violations"]), value["total"], len(value["alternatives"])) == (
        *(100, 40_001, 2),
    )


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("def f():\n    global eval\n    eval = print\neval(1)", []),
        ("def f():\n    eval = print\n    def g(): return eval(1)", []),
        ("def f():\n    eval = print\n    def g():\n        nonlocal eval\n        eval(1)", []),
        (
            "def f():\n    eval = print\n    def g():\n        def h():\n"
            "            nonlocal eval\n            eval(1)",
            [],
        ),
        ("def f(eval):\n    def g():\n        global eval\n        return [eval(1)]", [4]),
        (
            "def f():\n    compile = 1\n    class A:\n        def m(self):\n"
            "            nonlocal compile\n            compile()",
            [],
        ),
        ("eval: object\neval(1)", [2]),
        ("del eval\neval(1)", [2]),
        ("[eval(1) for eval in (print,)]\neval(2)", [2]),
        ("[x for x in eval('[1]') if (eval := x)]", []),
        ("[eval for eval in eval('[]')]", [1]),
        ("def f(x=eval('1'), eval=None): pass", [1]),
        ("@eval\ndef f(): pass\ndef g():\n    eval = 1", [1]),
        ("f = lambda eval: eval(1)\neval(2)", [2]),
        ("class A:\n    eval = print\n    eval(1)", []),
        ("class A:\n    eval = print\n    x = [eval(1) for _ in '1']", [3]),
        ("try: pass\nexcept ValueError as eval: pass\neval(1)", []),
        ("import json as eval\neval.loads('1')", []),
        ("def f(open): open('/etc/passwd')\nopen('/etc/passwd')", [2]),
        ("match 1:\n    case eval: eval(1)", []),
    ],
)
def test_a_name_counts_as_bound_in_the_scopes_that_python_looks_it_up_in(
    code: str, lines: list[int]
) -> None:
    assert [violation.line for violation in check(code, Policy())] == lines


def test_scopes_are_found_in_code_that_is_nested_deeply() -> None:
    code = "eval = print\n" + "(" * 90 + "eval(1)" + ")" * 90 + "+1" * 2_000
    assert check(code, Policy()) == []
