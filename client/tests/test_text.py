from __future__ import annotations

from datetime import datetime, timezone

import pytest

from assay_client import _text


def test_control_characters_are_escapes_and_others_stay() -> None:
    assert _text.printable("a\x1b[31m\x07\r\x9b\x7f") == "a\\x1b[31m\\x07\\r\\x9b\\x7f"
    assert _text.printable("a\u202eb\u2066c\u2028d") == "a\\u202eb\\u2066c\\u2028d"
    assert _text.printable("\ud800") == "\\ud800"
    assert _text.printable("ä\n\t数据 👩\u200d🔬") == "ä\n\t数据 👩\u200d🔬"


def test_a_sentence_is_one_line_of_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    _text.say("Größe \x1b[2J\nassay-client: of others")
    assert capfd.readouterr().err == "assay-client: Größe \\x1b[2J assay-client: of others\n"


def test_columns_of_a_table_are_aligned_whatever_is_in_them() -> None:
    assert _text.table(("A\x1b", "B\n"), [("x\ny", 1), ("\x1b", 22)]) == [
        "A\\x1b   B",
        "x y     1",
        "\\x1b    22",
    ]


def test_a_word_of_a_command_is_the_text_or_a_placeholder() -> None:
    assert _text.word("sales.csv", "FILE") == "sales.csv"
    assert _text.word("a b$(id)'.csv", "FILE") == """'a b$(id)'"'"'.csv'"""
    assert _text.word("a\nid", "FILE") == "FILE"
    assert _text.word("a\u202eb", "FILE") == "FILE"


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("2026-01-01T00:00:00Z", "2d"),
        ("2026-01-02T23:58:01.123456789Z", "119s"),
        ("2026-01-02T23:50:00Z", "10m"),
        ("2026-01-02T12:00:00Z", "12h"),
        ("2027-01-01T00:00:00Z", "0s"),
        ("yesterday", "-"),
        (None, "-"),
    ],
)
def test_ages_have_one_unit(then: object, expected: str) -> None:
    assert _text.age(then, datetime(2026, 1, 3, tzinfo=timezone.utc)) == expected


def test_durations_and_sizes_are_for_people() -> None:
    assert [_text.duration(ms) for ms in (30, 1500, 42_000, None)] == ["30ms", "1.5s", "42s", "-"]
    assert [_text.size(n) for n in (29, 20_480, 1_572_864)] == ["29 bytes", "20 KiB", "1.5 MiB"]
