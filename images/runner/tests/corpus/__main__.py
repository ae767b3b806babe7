"""`python -m corpus DIRECTORY`: write the files, what to expect of each, and print the table.

`cases.json` has for each file the `source` of its job (a `path` is to be added) and either the
`error` type, or `rows`, `columns` and the `fingerprint` that `df` must have in a run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

from assay_runner import snapshot_loading
from corpus import CASES, Case
from corpus.fingerprint import fingerprint
from corpus.making import made


def expectation(case: Case) -> dict[str, object]:
    """Return how pandas reads a file outside of a run, or the runner's refusal of it."""
    expected: dict[str, object] = {"file": case.file, "source": case.source}
    outside = case.outside() if case.refused is None else None
    if outside is None:
        expected["error"] = case.refused
    elif isinstance(outside, Exception):
        expected["error"] = type(outside).__name__
    else:
        expected.update(rows=len(outside), columns=outside.shape[1])
        expected["fingerprint"] = fingerprint(outside)
    return expected


def row(case: Case, expected: dict[str, object]) -> tuple[str, ...]:
    """Make a snapshot, load it, and return how it compares."""
    shape: tuple[str, ...] = ("-", "-")
    with tempfile.TemporaryDirectory() as directory:
        result = made(case, Path(directory))
        if result.error_type is not None:
            same = result.error_type == expected.get("error")
            how = f"{result.error_type}: {result.message}"
        else:
            frame = snapshot_loading.load(str(result.snapshot))
            same = fingerprint(frame) == expected.get("fingerprint")
            shape = tuple(map(str, frame.shape))
            how = f"as pandas, by {result.value['frame']}"
    return case.file, case.format, *shape, how if same else f"DIFFERS: {how}"


def main(directory: Path, cases: Sequence[Case] = CASES) -> int:
    """Return 0 if every file is read as pandas reads it."""
    directory.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    expectations = []
    differing = 0
    print("| file | format | rows | columns | result |\n|---|---|---|---|---|")
    for case in map(Case.as_pandas, cases):
        (directory / case.file).write_bytes(case.data)
        expectations.append(expectation(case))
        cells = row(case, expectations[-1])
        differing += cells[-1].startswith("DIFFERS")
        print("|", " | ".join(cell.replace("|", "\\|") for cell in cells), "|")
    (directory / "cases.json").write_text(json.dumps(expectations, indent=1), encoding="utf-8")
    print(f"\n{len(cases)} files, {differing} that differ")
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m corpus DIRECTORY")
    sys.exit(main(Path(sys.argv[1])))
