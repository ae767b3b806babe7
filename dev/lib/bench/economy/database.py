"""Writes the tables to a DuckDB file, with the DuckDB that reads it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from bench.economy.peers import PeerMissingError
from bench.economy.tables import Tables

# The same values are missing as for pandas: NA is a word to DuckDB otherwise.
_PROGRAM = """\
import duckdb, json, sys
connection = duckdb.connect(sys.argv[1])
for name, file in json.loads(sys.argv[2]).items():
    reader = "read_json($file)" if file.endswith(".json") else (
        "read_csv($file, nullstr = ['', 'NA'])")
    connection.execute(f"CREATE TABLE {name} AS FROM {reader}", {"file": file})
"""


def write_database(python: Path, tables: Tables, names: Iterable[str], file: Path) -> None:
    """Write some of them; PeerMissingError if that fails.

    Args:
        python: the interpreter, which has a DuckDB.
        names: of the tables.
        file: which does not exist.
    """
    files = {name: str(tables.path(name)) for name in names}
    command = [str(python), "-c", _PROGRAM, str(file), json.dumps(files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip()[-300:]
        raise PeerMissingError(f"its database could not be written: {said}")
