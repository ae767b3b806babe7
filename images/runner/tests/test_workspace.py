"""The working directory, and the links in it to the sources of datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_runner.launcher.command import UsageError, parse
from assay_runner.launcher.source_links import link_sources
from local_runner import NewRunner

pytestmark = pytest.mark.slow


def snapshot(directory: Path, file: str, text: str = "") -> Path:
    directory.mkdir(parents=True)
    (directory / "description.json").write_text('{"version": 1, "format": "csv"}')
    (directory / file).write_text(text)
    return directory


def test_code_finds_the_source_of_each_dataset_by_its_display_name(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    datasets = {
        "sales-2024": snapshot(tmp_path / "a", "source.csv", "a\n1\n"),
        "stores": snapshot(tmp_path / "b", "source.csv", "b\n2\n"),
    }
    runner = new_runner(
        datasets=datasets,
        load=0,
        worker_environment={"ASSAY_DISPLAY_NAMES": "sales-2024=Sales 2024"},
    )
    finished = runner.client.run(
        "import os\n"
        "print(sorted(os.listdir()), list(pd.read_csv('Sales 2024.csv')))\n"
        "print(list(pd.read_csv(os.path.abspath('stores.csv'))))\n"
        "print(os.getcwd(), 'ASSAY_DISPLAY_NAMES' in os.environ)\n"
    )
    assert finished.error is None, finished.error
    assert finished.text == (
        f"['Sales 2024.csv', 'main.py', 'stores.csv'] ['a']\n['b']\n{runner.workspace} False\n"
    )


def test_a_pod_of_an_earlier_operator_works_in_its_scratch_directory(
    new_runner: NewRunner, tmp_path: Path
) -> None:
    datasets = {"sales": snapshot(tmp_path / "a", "source.csv", "a\n1\n")}
    missing = {"ASSAY_WORKSPACE_DIR": str(tmp_path / "missing")}
    runner = new_runner(datasets=datasets, worker_environment=missing)
    finished = runner.client.run("import os\nprint(os.getcwd(), sorted(os.listdir()))")
    # The fonts of matplotlib are linked into scratch, as they are where both directories differ.
    assert finished.text == f"{runner.scratch} ['.config', 'main.py', 'sales.csv']\n"


def test_links_have_the_extension_of_the_format_and_lead_to_files_and_directories(
    tmp_path: Path,
) -> None:
    datasets, workspace = tmp_path / "datasets", tmp_path / "workspace"
    workspace.mkdir()
    snapshot(datasets / "book", "source.excel")
    snapshot(datasets / "rows", "source.ndjson")
    snapshot(datasets / "folder", "frame.arrow")
    (datasets / "folder" / "source").mkdir()
    snapshot(datasets / "without", "frame.arrow")
    link_sources(str(datasets), str(workspace), {"rows": "Rows.1"})
    assert {path.name: path.readlink() for path in workspace.iterdir()} == {
        "book.xlsx": datasets / "book" / "source.excel",
        "Rows.1.ndjson": datasets / "rows" / "source.ndjson",
        "folder": datasets / "folder" / "source",
    }


def test_no_link_takes_the_place_of_the_script(new_runner: NewRunner, tmp_path: Path) -> None:
    folder = snapshot(tmp_path / "a", "frame.arrow")
    (folder / "source").mkdir()
    datasets = {"main.py": folder, "stores": snapshot(tmp_path / "b", "source.csv", "b\n")}
    finished = new_runner(datasets=datasets, load=0).client.run(
        "import os\nprint(sorted(os.listdir()), os.path.isfile('main.py'))"
    )
    assert finished.text == "['main.py', 'stores.csv'] True\n", finished.error


@pytest.mark.parametrize(("display_name", "file"), [("main", "source.py"), ("main.py", "source")])
def test_no_dataset_shadows_the_script(display_name: str, file: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    snapshot(tmp_path / "datasets" / "a", file)
    link_sources(str(tmp_path / "datasets"), str(workspace), {"a": display_name})
    assert list(workspace.iterdir()) == []


def test_a_link_replaces_nothing_and_no_datasets_are_no_error(tmp_path: Path) -> None:
    link_sources(str(tmp_path / "missing"), str(tmp_path), {})
    datasets = tmp_path / "datasets"
    snapshot(datasets / "a", "source.csv")
    snapshot(datasets / "b", "source.csv")
    (tmp_path / "a.csv").write_text("of the job")
    link_sources(str(datasets), str(tmp_path), {})
    assert not (tmp_path / "a.csv").is_symlink()


def test_datasets_with_one_display_name_are_both_linked(tmp_path: Path) -> None:
    datasets, workspace = tmp_path / "datasets", tmp_path / "workspace"
    workspace.mkdir()
    for name in ("a", "b", "c"):
        snapshot(datasets / name, "source.csv")
    link_sources(str(datasets), str(workspace), {"a": "same", "b": "same", "c": "a"})
    assert {path.name: path.readlink().parent.name for path in workspace.iterdir()} == {
        "same.csv": "a",
        "b.csv": "b",
        "a.csv": "c",
    }


@pytest.mark.parametrize("names", ["a", "a=", "=b", "a=b,", "a=../b", "a=b/c", "a=b\n", "a/b=c"])
def test_a_display_name_that_is_none_is_refused(names: str) -> None:
    with pytest.raises(UsageError, match="ASSAY_DISPLAY_NAMES"):
        parse(["python"], {"ASSAY_DISPLAY_NAMES": names})
