"""CSV and TSV."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from typing import Any

from corpus.case import Case, text


def _csv(name: str, content: str, written: str = "utf-8", /, **options: Any) -> Case:  # noqa: ANN401
    return Case(f"{name}.csv", "csv", text(content, written), options)


def _wide() -> bytes:
    header = ",".join(f"column {number}" for number in range(5000))
    rows = (",".join(str(row * number % 97) for number in range(5000)) for row in range(3))
    return "\n".join((header, *rows, "")).encode()


def _long() -> bytes:
    """Columns whose types change after the first chunk that pandas reads."""
    rows = [f"{row},{row / 7},word {row % 11}" for row in range(60_000)]
    rows[50_000] = "50000,,"
    rows[55_000] = "x55000,1.5,late text"
    return ("n,f,s\n" + "\n".join(rows) + "\n").encode()


def _random() -> bytes:
    generator = random.Random(20240101)  # noqa: S311 - the same each time
    cells = ("", "1", "-2.50", "NA", "true", "2024-02-29", "é", '"a,b"', '"c""d"', " e ", "1e309")
    rows = (",".join(generator.choice(cells) for _ in range(8)) for _ in range(2000))
    return ("a,b,c,d,e,f,g,h\n" + "\n".join(rows) + "\n").encode()


def _zipped(name: str, content: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


PEOPLE = "id,name,zip\n1,Ann,01234\n2,Bo,00501\n3,Cy,\n"
LATIN = "stadt;straße;umsatz\nKöln;Hauptstraße;1.234,50\nMünchen;Ring;99,00\n"
DATES = (
    "iso,day first,month first,text\n"
    "2024-02-01,01.02.2024,02/01/2024,1 Feb 2024\n"
    "2024-12-31,31.12.2024,12/31/2024,31 Dec 2024\n"
)
ZONES = "at\n2024-01-01T00:00:00+01:00\n2024-07-01T00:00:00+01:00\n"
MIXED_ZONES = "at\n2024-01-01T00:00:00+01:00\n2024-07-01T00:00:00+02:00\n"

CASES = (
    _csv("plain", "a,b\n1,x\n2,y\n"),
    _csv("no final newline", "a,b\n1,x\n2,y"),
    _csv("crlf", "a,b\r\n1,x\r\n2,y\r\n"),
    _csv("old mac newlines", "a,b\r1,x\r2,y\r"),
    _csv("mixed newlines", "a,b\r\n1,x\n2,y\r\n"),
    _csv("byte order mark", "\ufeffa,b\n1,x\n"),
    _csv("duplicate headers", "a,a,b,a\n1,2,3,4\n"),
    _csv("blank headers", ",b,\n1,2,3\n"),
    _csv("spaced headers", " a , b b,c \n1,2,3\n"),
    _csv("headers skipping spaces", "a, b, c\n1, 2, x\n", skipinitialspace=True),
    _csv("numbers as headers", "2023,2024\n1,2\n"),
    _csv("header only", "a,b,c\n"),
    _csv("empty", ""),
    _csv("only newlines", "\n\n\n"),
    _csv("one cell", "a\n"),
    _csv("blank lines", "a,b\n\n1,2\n\n\n3,4\n"),
    _csv("latin-1", LATIN, "latin-1", sep=";", encoding="latin-1", decimal=",", thousands="."),
    _csv("latin-1 taken for utf-8", LATIN, "latin-1"),
    _csv("latin-1 with marks", LATIN, "latin-1", delimiter=";", encoding_errors="replace"),
    _csv("cp1252", "p,e\n“x”,€5\n", "cp1252", encoding="cp1252"),
    _csv("utf-16", "a,b\nй,😀\n", "utf-16", encoding="utf-16"),
    _csv("utf-16 taken for utf-8", "a,b\nй,😀\n", "utf-16"),
    _csv("utf-16 without a mark", "a,b\n1,2\n", "utf-16-le", encoding="utf-16"),
    _csv("quotes and newlines", 'a,b\n"x\ny","he said ""no"""\n"p,q",\' \'\n'),
    _csv("other quotes", "a;b\n'x;y';2\n", sep=";", quotechar="'"),
    _csv("escapes", "a,b\nx\\,y,2\n", escapechar="\\"),
    _csv("comments", "# made by hand\na,b\n1,2 # two\n", comment="#"),
    _csv("preamble", "Report\nof May\na,b\n1,2\n", skiprows=2),
    _csv("header in the third line", "x\ny\na,b\n1,2\n", header=2),
    _csv("no header", "1,2\n3,4\n", header=None, names=["a", "b"]),
    _csv("no header and no names", "1,2\n3,4\n", header=None),
    _csv("ragged long", "a,b\n1,2\n1,2,secret\n"),
    _csv("ragged long skipped", "a,b\n1,2\n1,2,3\n4,5\n", on_bad_lines="skip"),
    _csv("ragged long warned of", "a,b\n1,2\n1,2,3\n4,5\n", on_bad_lines="warn"),
    _csv("ragged short", "a,b,c\n1,2\n3,4,5\n"),
    _csv("one column more than headers", "a,b\n1,2,3\n4,5,6\n"),
    _csv("quote never closed", 'a,b\n1,"secret\n2,3\n'),
    _csv("leading zeros", PEOPLE),
    _csv("leading zeros kept", PEOPLE, dtype={"zip": "str"}),
    _csv("beyond 2^53", "a\n9007199254740993\n9007199254740995\n"),
    _csv("beyond 2^53 with a gap", "a,b\n9007199254740993,1\n,2\n"),
    _csv("beyond 2^53 with a gap kept", "a,b\n9007199254740993,1\n,2\n", dtype={"a": "Int64"}),
    _csv("beyond 2^63", "a\n9223372036854775808\n18446744073709551615\n"),
    _csv("beyond 2^64", "a\n18446744073709551616\n1\n"),
    _csv("negative and beyond 2^63", "a\n-1\n9223372036854775808\n"),
    _csv("small types", "a,b\n1,0.1\n2,0.2\n", dtype={"a": "int8", "b": "float32"}),
    _csv("all null column", "a,b\n,1\n,2\n"),
    _csv("all null", "a,b\n,\n,\n"),
    _csv("t and f", "a,b\nt,T\nf,F\n"),
    _csv("t and f as truth", "a\nt\nf\n", true_values=["t"], false_values=["f"]),
    _csv("truth with gaps", "a,b\nTrue,1\n,2\nFalse,3\n"),
    _csv("truth with gaps kept", "a,b\nTrue,1\n,2\n", dtype={"a": "boolean"}),
    _csv("mixed types", "a\n1\nx\n2.5\nTrue\n"),
    Case("types that change late.csv", "csv", _long),
    Case("types that change late, whole.csv", "csv", _long, {"low_memory": False}),
    _csv("infinities and minus zero", "a\ninf\n-inf\n-0.0\n1e-320\n1e308\n"),
    _csv("words for nothing", "a,b\nNA,n/a\nNone,null\nNaN,-\n"),
    _csv("words for nothing kept", "a\nNA\nnull\n", keep_default_na=False),
    _csv("own words for nothing", "a,b\n-,1\nx,.\n", na_values=["-", "."]),
    _csv("dates in four notations", DATES),
    _csv("dates read", DATES, parse_dates=["iso", "month first"]),
    _csv("dates read day first", DATES, parse_dates=["day first"], dayfirst=True),
    _csv("dates read by format", DATES, parse_dates=["text"], date_format="%d %b %Y"),
    _csv("dates that are none", "d\n2024-01-01\nsecret\n", parse_dates=["d"]),
    _csv("dates with gaps", "d,a\n2024-01-01,1\n,2\n", parse_dates=["d"]),
    _csv("dates beyond nanoseconds", "d\n1066-10-14\n9999-12-31\n", parse_dates=["d"]),
    _csv("time zone", ZONES, parse_dates=["at"]),
    _csv("time zones that differ", MIXED_ZONES, parse_dates=["at"]),
    _csv("categories", "c,n\nb,1\na,2\nb,3\n", dtype={"c": "category"}),
    _csv("index", "k,v\nx,1\ny,2\n", index_col="k"),
    _csv("index by number", "k,v\nx,1\ny,2\n", index_col=0),
    _csv("index of dates", "k,v\n2024-01-01,1\n2024-01-02,2\n", index_col=0, parse_dates=["k"]),
    _csv("some columns", "a,b,c\n1,2,3\n", usecols=["c", "a"]),
    _csv("some rows", "a\n1\n2\n3\n", nrows=2),
    _csv("no such column", "a,b\n1,secret\n", usecols=["z"]),
    _csv("no such index", "a,b\n1,secret\n", index_col="z"),
    _csv("no such date", "a,b\n1,secret\n", parse_dates=["z"]),
    _csv("header beyond the end", "a,b\n1,secret\n", header=9),
    _csv("text as integer", "a,b\n1,2\n3,secret\n", dtype={"b": "int64"}),
    _csv("text as nullable integer", "a,b\n1,2\n3,secret\n", dtype={"b": "Int64"}),
    _csv("text as float", "a,b\n1,2\n3,secret\n", dtype={"b": "float64"}),
    _csv("text as truth", "a,b\n1,True\n3,secret\n", dtype={"b": "boolean"}),
    _csv("gap as integer", "a,b\n1,2\n3,\n", dtype={"b": "int64"}),
    _csv("fraction as integer", "a,b\n1,2\n3,4.5\n", dtype={"b": "int64"}),
    _csv("too large as integer", "a\n1\n99999999999999999999\n", dtype={"a": "int64"}),
    _csv("two characters between", "a||b\n1||x\n2||y\n", sep=r"\|\|"),
    _csv("two characters between, ragged", "a||b\n1||x\n2||y||secret\n", sep=r"\|\|"),
    _csv("spaces between", "a  b\n1   x\n", sep=r"\s+"),
    _csv("expression that is none", "a,b\n1,2\n", sep="(("),
    _csv("zero bytes", "a,b\n1,\x00x\n2,y\n"),
    _csv("formulas", 'a\n=1+1\n@x\n"=HYPERLINK(""x"")"\n'),
    _csv("emoji header", "😀,né\n1,2\n"),
    Case("5000 columns.csv", "csv", _wide),
    Case("random cells.csv", "csv", _random),
    Case("plain.tsv", "tsv", text("a\tb\n1\tx, y\n2\t\n")),
    Case("other separator.tsv", "tsv", text("a;b\n1;2\n"), {"sep": ";"}),
    Case("plain.csv.gz", "csv", lambda: gzip.compress(PEOPLE.encode(), mtime=0), {}, "gzip"),
    Case("plain.tsv.gz", "tsv", lambda: gzip.compress(b"a\tb\n1\t2\n", mtime=0), {}, "gzip"),
    Case("plain.csv.zip", "csv", lambda: _zipped("in/a.csv", PEOPLE), {}, "zip"),
)
