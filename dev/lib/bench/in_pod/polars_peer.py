"""Polars alone: one expression in a new process, from the expression to all rows in hand."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import polars as pl

PARAMETERS: dict[str, Any] = json.loads("{}")

if len(sys.argv) == 1:
    command = [sys.executable, "-I", __file__, "once"]
    print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    sys.exit()

names = {name: pl.scan_parquet(file) for name, file in PARAMETERS["tables"].items()}
began = time.perf_counter()
frame = eval(PARAMETERS["expression"], {"pl": pl, **names})
rows = frame.collect(engine="streaming").rows()
print(json.dumps({"ms": (time.perf_counter() - began) * 1000, "rows": len(rows)}))
