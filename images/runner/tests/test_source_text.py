"""Text that is hard to compile, or that does not compile: an error of the code, never a crash."""

from __future__ import annotations

import pytest

from local_runner import NewRunner


def nested_finally(depth: int) -> str:
    """Python compiles the body of `finally` twice, so the time grows as 2 to the depth."""
    lines = []
    for level in range(depth):
        indent = " " * level
        lines += [f"{indent}try: pass", f"{indent}finally:"]
    return "\n".join(lines) + "\n" + " " * depth + "pass\n"


def test_code_that_takes_long_to_compile_is_timed_out(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(nested_finally(19), timeoutMs=300, stopGraceMs=100)
    assert finished.outcome == "DeadlineExceeded"
    assert finished.events[0]["type"] == "started"


@pytest.mark.parametrize(
    "code",
    [
        "-" * 60_000 + "1",
        "not " * 60_000 + "1",
        "lambda: " * 30_000 + "1",
        "1" + " ** 1" * 50_000,
        "1" + " + 1" * 50_000,
        "a" + ".a" * 100_000,
        "a" + "()" * 100_000,
        "a if b else " * 20_000 + "1",
        "if 0: pass\n" + "elif 0: pass\n" * 18_000,
        "(" * 250 + ")" * 250,
        "(" * 250_000,
        "".join(" " * level + "if 1:\n" for level in range(120)),
        "f'" + "{1:" * 60_000,
    ],
    ids=lambda code: code[:12],
)
def test_deeply_nested_code_is_an_error_that_can_be_read(new_runner: NewRunner, code: str) -> None:
    finished = new_runner().client.run(code)
    assert finished.outcome == "CodeError"
    assert finished.result["exit"] == {"code": 1, "signal": None}
    assert finished.error["type"] in (
        "SyntaxError",
        "IndentationError",
        "RecursionError",
        "MemoryError",
    )
    assert len(finished.error["message"]) > 20
    assert "assay_runner" not in finished.error["traceback"]


def test_a_null_byte_is_a_syntax_error_of_its_line(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("print('before')\nx = '\0'\n")
    assert (finished.outcome, finished.text) == ("CodeError", "")
    assert (finished.error["type"], finished.error["line"]) == ("SyntaxError", 2)
    assert finished.error["message"].startswith("source code cannot contain null bytes")


def test_a_byte_order_mark_at_the_start_is_taken_off(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("\ufeffprint('runs')\n1 / 0")
    assert (finished.text, finished.error["line"]) == ("runs\n", 2)


def test_line_ends_may_be_mixed(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(
        "print(1)\r\nprint(2)\rprint('''a\r\nb\rc''')\nif 1:\r\n\tprint(3)\r1 / 0  # here\r\n"
    )
    assert finished.text == "1\n2\na\nb\nc\n3\n"
    assert finished.error["line"] == 8
    assert "1 / 0  # here" in finished.error["traceback"]


def test_characters_that_only_look_like_line_ends_do_not_shift_the_shown_lines(
    new_runner: NewRunner,
) -> None:
    finished = new_runner().client.run("x = '\u2028\x85'\n\x0cy = 1\n1 / 0  # here\n")
    assert finished.error["line"] == 3
    assert "1 / 0  # here" in finished.error["traceback"]
