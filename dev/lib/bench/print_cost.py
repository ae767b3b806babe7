"""What a million prints cost in a run, beside those of plain interpreters on the same pipe.

One run measures all, in turn: its own code, then children that share its pipe, its processor and
its seccomp filter. CPU time is what is compared; the elapsed time depends on the reader.
"""

from __future__ import annotations

import json

from bench.kubernetes import Kubernetes
from bench.runs import run_to_end

_WATCH_SECONDS = 240.0
_RUN_SECONDS = 200
_WRITES = [
    'print("line", i)',
    'print("x")',
    'sys.stdout.write("x\\n")',
    'sys.stdout.write("x")',
    # The lower bound: all others do this as well, if nothing is buffered.
    'os.write(1, b"x")',
]
_CHILDREN = {
    "python -u": ("-u", ""),
    "python, a line at a time": ("-I", "sys.stdout.reconfigure(line_buffering=True)"),
    "python, which gathers 8 KiB": ("-I", ""),
}
_MEASURED = f"""
import json, os, subprocess, sys, time

def child(flag, first, write):
    code = f'''
import os, sys, time
{{first}}
began = time.process_time()
for i in range(1_000_000): {{write}}
sys.stdout.flush()
spent = time.process_time() - began
open("/scratch/spent", "w").write(str(spent))
'''
    subprocess.run([sys.executable, flag, "-c", code], check=True)
    return float(open("/scratch/spent").read())

def here(write):
    code = compile(f"for i in range(1_000_000): {{write}}\\nsys.stdout.flush()", "measured", "exec")
    began = time.process_time()
    exec(code)
    return time.process_time() - began

spent = {{"a run": [here(write) for write in {_WRITES}]}}
sys.stdout.reconfigure(write_through=False)
spent["a run that gathers"] = [here(write) for write in {_WRITES}]
for name, (flag, first) in {_CHILDREN}.items():
    spent[name] = [child(flag, first, write) for write in {_WRITES}]
print()
print(json.dumps(spent))
"""


def measure(kubernetes: Kubernetes, namespace: str) -> dict[str, list[float]]:
    """CPU seconds of a million writes, by writer, in the order of the table."""
    spec = {"code": _MEASURED, "timeoutSeconds": _RUN_SECONDS}
    result = run_to_end(kubernetes, namespace, spec, _WATCH_SECONDS).status["result"]
    spent: dict[str, list[float]] = json.loads(result["outputTail"].splitlines()[-1])
    return spent


def table(spent: dict[str, list[float]]) -> str:
    """Render CPU seconds of a million writes, one row per writer."""
    lines = [
        "| CPU seconds | " + " | ".join(f"`{write}`" for write in _WRITES) + " |",
        "|---|" + "---|" * len(_WRITES),
    ]
    lines += [
        f"| {name} | " + " | ".join(f"{seconds:.2f}" for seconds in row) + " |"
        for name, row in spent.items()
    ]
    return "\n".join(lines)
