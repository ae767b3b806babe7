"""A worker that has used its libraries before its job leaves nothing of that to code."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from local_runner import NewRunner, Runner

pytestmark = pytest.mark.slow

# What code can find out about its process; threads first, since imports may start some.
_STATE = """
import threading
threads = [thread.name for thread in threading.enumerate()]
import decimal, gc, json, locale, logging, os, random, re, signal, sys, tempfile, warnings
modules = sorted({name.partition(".")[0] for name in sys.modules})
def opened():
    for number in os.listdir("/proc/self/fd"):
        # The one of the directory itself is closed by now.
        if os.path.lexists(path := "/proc/self/fd/" + number):
            yield re.sub(r"\\[[0-9]+\\]", "", os.readlink(path))
def inherited():
    # Closed, which waits for the process: subprocess keeps the pipe of one that still runs.
    with os.popen("env | sort") as output:
        return output.read()
folders = (".", os.environ["HOME"], os.environ["TMPDIR"])
print(json.dumps({
    "threads": threads,
    "next thread": threading.Thread().name,
    "files": [sorted(os.listdir(folder)) for folder in folders],
    "environment": sorted(os.environ.items()),
    "inherited": inherited(),
    "descriptors": sorted(opened()),
    "filters": list(map(str, warnings.filters)),
    "warned": [key for module in list(sys.modules.values())
               for key in getattr(module, "__warningregistry__", None) or () if key != "version"],
    "random": random.seed(7) or [random.random(), float(np.random.default_rng(7).random())],
    "numpy": [np.geterr(), np.get_printoptions()["precision"], np.random.get_state()[0]],
    "pandas": {name: repr(option) for name, option in pd.options.d.items()},
    "signals": [str(signal.getsignal(number)) for number in range(1, 32)],
    "collector": [gc.isenabled(), gc.get_threshold()],
    "path": sys.path,
    "temporary": tempfile.tempdir,
    "locale": locale.getlocale(),
    "decimal": str(decimal.getcontext()),
    "handlers": logging.root.handlers,
    "recursion": sys.getrecursionlimit(),
    "names": sorted(globals()),
    "umask": os.umask(0o22),
    "directory": os.getcwd(),
    "modules": modules,
}, default=str))
"""

# Of the first figure, and of what it imports.
_OF_PLOTLY = {"PIL", "_plotly_utils", "difflib", "email", "narwhals", "plotly", "quopri"}
_OF_PARQUET = {"_ssl", "ssl"}

_KEEPS_RANDOM_STATE = """
import random
import numpy as np
from assay_runner.worker.warm_up import warm_up
before = random.getstate(), repr(np.random.get_state())
warm_up()
print((random.getstate(), repr(np.random.get_state())) == before)
"""

_COUNTS_USES = """
import collections
import pandas as pd
from assay_runner.worker.warm_up import warm_up
uses = collections.Counter()
def count(owner, name):
    plain = getattr(owner, name)
    def counting(*arguments, **keywords):
        uses[name] += 1
        return plain(*arguments, **keywords)
    setattr(owner, name, counting)
count(pd, "read_csv")
count(pd, "read_json")
# Figures group too, but never sum up.
count(pd.api.typing.DataFrameGroupBy, "agg")
count(pd.DataFrame, "merge")
warm_up()
print(sorted(uses.items()))
"""

# The last of what is made before the job, and a part of the libraries.
_COLLECTED = """
import gc
print([one is datasets or one is vars(pd) for one in gc.get_objects()].count(True))
print(gc.is_tracked(datasets), gc.is_tracked(vars(pd)))
"""

_FROZEN_AFTER_IMPORTS = """
import gc
from assay_runner.imports import gc_paused
with gc_paused():
    made = [[]]
    print(gc.isenabled(), any(one is made for one in gc.get_objects()))
print(gc.isenabled(), any(one is made for one in gc.get_objects()))
"""

_STEPS = """
from assay_runner.worker import warm_up
for step in warm_up.STEPS:
    step()
"""

_IN_CHILDREN = """
import multiprocessing, os, signal, sys, threading
import pyarrow as pa

def work(seed):
    signal.alarm(60)
    import polars as pl
    matrix = np.random.default_rng(seed).random((300, 300))
    np.linalg.eigh(matrix @ matrix.T)
    names = [f"name-{i % 7}" for i in range(20_000)]
    frame = pa.table({"name": names, "amount": list(range(20_000))}).to_pandas()
    sums = frame.groupby("name")["amount"].sum()
    query = pl.LazyFrame({"name": names, "amount": list(range(20_000))})
    for engine in ("in-memory", "streaming"):
        found = query.group_by("name").agg(pl.col("amount").sum()).collect(engine=engine)
        assert dict(found.rows()) == sums.to_dict()
    assert "amount" in px.bar(frame.head(), x="name", y="amount").to_json()
    return len(frame.merge(sums.reset_index(), on="name"))

print([thread.name for thread in threading.enumerate()])
for seed in range(3):
    pid = os.fork()
    if not pid:
        os._exit(0 if work(seed) == 20_000 else 1)
    print(os.waitpid(pid, 0)[1])
child = multiprocessing.get_context("fork").Process(target=print, args=("ended",))
child.start()
child.join()
pid = os.fork()
if not pid:
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(work, range(4)))
"""

_DEPRECATED = """
import plotly.graph_objects as go
px.bar(x=["a"], y=[1])
go.Annotations()
import plotly.tools
try:
    plotly.tools.make_subplots(rows=1, cols=1)
except Exception as error:
    print(type(error))
"""


def runner(new_runner: NewRunner, tmp_path: Path, warm_up: str, cpus: str = "2") -> Runner:
    temporary = tmp_path / f"tmp-{warm_up}"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary), "ASSAY_CPUS": cpus, "ASSAY_WARM_UP": warm_up}
    return new_runner(worker_environment=environment)


def text_of(made: Runner, code: str) -> str:
    """Return what code prints; paths are the same for each runner."""
    finished = made.client.run(code, outputBytes=2**22)
    assert finished.error is None, finished.error
    return re.sub(r"pod-\d|tmp-(true|false)", "pod", finished.text)


@pytest.mark.executed
def test_code_finds_the_state_of_a_worker_that_was_not_warmed_up(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    cold, warm = (
        json.loads(text_of(runner(new_runner, tmp_path, warm_up), _STATE))
        for warm_up in ("false", "true")
    )
    loaded = set(warm.pop("modules")) - set(cold.pop("modules"))
    assert warm == cold
    assert warm["threads"] == ["MainThread"]
    assert "plotly" in loaded
    assert loaded <= _OF_PLOTLY | _OF_PARQUET


def test_random_numbers_are_those_of_a_new_process(interpreter: str) -> None:
    assert output_of(interpreter, _KEEPS_RANDOM_STATE) == "True\n"


def test_a_table_is_parsed_and_grouped_once(interpreter: str) -> None:
    assert output_of(interpreter, _COUNTS_USES) == (
        "[('agg', 1), ('merge', 1), ('read_csv', 1), ('read_json', 1)]\n"
    )


@pytest.mark.executed
def test_what_was_made_before_the_job_is_frozen(new_runner: NewRunner, tmp_path: Path) -> None:
    assert text_of(runner(new_runner, tmp_path, "true"), _COLLECTED) == "0\nTrue True\n"


def test_what_is_imported_is_frozen_and_the_collector_goes_on(interpreter: str) -> None:
    assert output_of(interpreter, _FROZEN_AFTER_IMPORTS) == "False True\nTrue False\n"


def test_no_step_fails_with_these_libraries(interpreter: str) -> None:
    assert output_of(interpreter, _STEPS) == ""


@pytest.mark.executed
@pytest.mark.parametrize("cpus", ["1", "2"])
def test_processes_that_code_forks_can_use_all_libraries(
    new_runner: NewRunner, tmp_path: Path, cpus: str
) -> None:
    text = text_of(runner(new_runner, tmp_path, "true", cpus), _IN_CHILDREN)
    assert text == "['MainThread']\n0\n0\n0\nended\n3\n[20000, 20000, 20000, 20000]\n"


def test_warnings_of_plotly_are_those_that_it_gives_otherwise(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    cold, warm = (
        text_of(runner(new_runner, tmp_path, warm_up), _DEPRECATED) for warm_up in ("false", "true")
    )
    assert "DeprecationWarning" in cold
    assert warm == cold


def test_a_plot_that_code_shows_is_saved(new_runner: NewRunner, tmp_path: Path) -> None:
    code = "px.bar(x=['a'], y=[1]).show()"
    assert text_of(runner(new_runner, tmp_path, "true"), code) == (
        "Plot saved as artifacts/figure-1.plotly.json\n"
    )


def test_a_failing_step_fails_no_run(interpreter: str) -> None:
    code = (
        "from assay_runner.worker import warm_up\n"
        "warm_up.STEPS = (lambda: 1 / 0, lambda: print('next'))\n"
        "warm_up.warm_up()\n"
    )
    assert output_of(interpreter, code) == "next\n"


def output_of(interpreter: str, code: str) -> str:
    done = subprocess.run(
        [interpreter, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=True,
        text=True,
    )
    return done.stdout
