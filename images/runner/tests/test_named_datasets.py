"""The datasets that the code of a run can access."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay_runner.worker.datasets import Dataset, variables
from local_runner import NewRunner
from runner_client import python_job

pytestmark = pytest.mark.slow

NewDataset = Callable[[str], Path]


@pytest.fixture
def dataset(tmp_path: Path) -> NewDataset:
    """Make a snapshot that is read from its source."""

    def make(text: str) -> Path:
        directory = tmp_path / f"snapshot-{len(list(tmp_path.iterdir()))}"
        directory.mkdir()
        (directory / "source.csv").write_text(text)
        (directory / "description.json").write_text('{"version": 1, "format": "csv"}')
        return directory

    return make


def test_the_first_is_also_df_and_all_have_their_own_names(
    new_runner: NewRunner, dataset: NewDataset
) -> None:
    datasets = {
        "sales-data": dataset("a\n1\n"),
        "stores": dataset("b\n2\n"),
        "prices-2024": dataset("c\n3\n"),
        "list": dataset("d\n4\n"),
    }
    finished = new_runner(datasets=datasets).client.run(
        "print(list(df), list(stores), stores is datasets['stores'])\n"
        "print(df is sales_data is datasets['sales-data'])\n"
        "print(list(datasets['prices-2024']), list(datasets['list']), list('xy'))\n"
        "print(prices_2024 is datasets['Prices 2024'] is datasets['prices_2024'])\n"
        "print(list(datasets), len(datasets), 'stores' in datasets, 'other' in datasets)\n"
        "print(datasets)\n"
        "print(sorted(name for name in dir() if not name.startswith('__')))\n"
        "def total(): return int(df['a'].sum() + stores['b'].sum())\n"
        "print(total())\n"
    )
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "['a'] ['b'] True",
        "True",
        "['c'] ['d'] ['x', 'y']",
        "True",
        "['sales-data', 'stores', 'prices-2024', 'list'] 4 True False",
        "datasets('sales-data', 'stores', 'prices-2024', 'list')",
        "['datasets', 'df', 'np', 'pd', 'prices_2024', 'px', 'sales_data', 'stores']",
        "3",
    ]


def test_an_unknown_dataset_is_an_error_that_lists_those_there_are(
    new_runner: NewRunner, dataset: NewDataset
) -> None:
    datasets = {"sales": dataset("a\n1\n"), "stores": dataset("b\n2\n")}
    finished = new_runner(datasets=datasets).client.run("datasets['store']")
    assert (finished.error["type"], finished.error["line"]) == ("KeyError", 1)
    assert "no dataset 'store' in this run; it has: 'sales', 'stores'" in finished.error["message"]
    assert "assay_runner" not in finished.error["traceback"]


def test_a_run_without_datasets_says_so(new_runner: NewRunner) -> None:
    finished = new_runner().client.run("print(datasets, dict(datasets))\ndatasets['sales']")
    assert finished.text == "datasets() {}\n"
    assert "no dataset 'sales' in this run" in finished.error["message"]


def test_code_may_change_and_replace_its_frames_and_the_sources_stay(
    new_runner: NewRunner, dataset: NewDataset
) -> None:
    datasets = {"sales": dataset("a,b\n1,x\n2,y\n"), "stores": dataset("b\n2\n")}
    runner = new_runner(datasets=datasets)
    finished = runner.client.run(
        "df.loc[0, 'a'] = 5\n"
        "df['new'] = df['a'] * 2\n"
        "df['a'].to_numpy(copy=True)[1] = 7\n"
        "df.drop(columns='b', inplace=True)\n"
        "datasets['stores'] = stores.assign(c=1)\n"
        "datasets['made'] = pd.DataFrame({'z': [1]})\n"
        "print(type(df) is pd.DataFrame, df.to_dict('list'), list(datasets['stores']))\n"
        "print(pd.read_csv('../datasets/sales/source.csv').to_dict('list'), list(datasets))\n"
        "del datasets['made']\n"
    )
    assert finished.error is None, finished.error
    assert finished.text.splitlines() == [
        "True {'a': [5, 2], 'new': [10, 4]} ['b', 'c']",
        "{'a': [1, 2], 'b': ['x', 'y']} ['sales', 'stores', 'made']",
    ]
    assert (datasets["sales"] / "source.csv").read_text() == "a,b\n1,x\n2,y\n"


def test_a_dataset_with_a_variable_that_cannot_be_loaded_fails_the_start(
    new_runner: NewRunner, dataset: NewDataset, tmp_path: Path
) -> None:
    datasets = {"sales": dataset("a\n1\n"), "broken": tmp_path}
    finished = new_runner(datasets=datasets).client.run("print('never')")
    assert (finished.outcome, finished.text) == ("StartFailed", "")
    assert "/broken/" in finished.error["message"]


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("stores", "stores"),
        ("match", "match"),
        ("prices-2024", "prices_2024"),
        ("2024", None),
        ("class", None),
        ("sum", None),
        ("print", None),
        ("pd", None),
        ("df", None),
        ("datasets", None),
    ],
)
def test_a_variable_is_bound_where_the_name_is_free(name: str, variable: str | None) -> None:
    taken = {"pd", "np", "px", "datasets"}
    bound = {variable: name} if variable else {}
    assert variables([Dataset(name, name)], taken) == {"df": name, **bound}
    both = [Dataset("first", "first"), Dataset(name, name)]
    assert variables(both, taken) == {"df": "first", "first": "first", **bound}


def test_a_dataset_also_has_the_name_that_its_owner_wrote() -> None:
    assert variables([Dataset("sales-2024", "Sales.2024")], ()) == {
        "df": "sales-2024",
        "Sales_2024": "sales-2024",
        "sales_2024": "sales-2024",
    }


@pytest.mark.parametrize("shown", ["Old", "OLD", "old"])
def test_a_name_that_two_datasets_have_is_of_the_one_with_it_in_kubernetes(shown: str) -> None:
    datasets = [Dataset("x", "Old"), Dataset("old", shown)]
    expected = {"df": "x", "x": "x", "old": "old"}
    if shown == "OLD":
        expected["OLD"] = "old"
    assert variables(datasets, ()) == expected


def test_a_name_that_two_datasets_show_is_no_variable() -> None:
    datasets = [Dataset("x", "Sales"), Dataset("y", "Sales")]
    assert variables(datasets, ()) == {"df": "x", "x": "x", "y": "y"}


@pytest.mark.parametrize("name", ["2024", "class", "sum", "df", "pd"])
def test_a_main_dataset_whose_name_cannot_be_a_variable_is_df_only(
    new_runner: NewRunner, dataset: NewDataset, name: str
) -> None:
    finished = new_runner(datasets={name: dataset("a\n1\n")}).client.run(
        f"print(df is datasets[{name!r}], pd.__name__, sum([1, 2]))\n"
        "print(sorted(name for name in dir() if not name.startswith('__')))\n"
    )
    assert finished.error is None, finished.error
    assert finished.text == "True pandas 3\n['datasets', 'df', 'np', 'pd', 'px']\n"


def in_order(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


SHOW = "print(list(df), list(datasets), 'sales' in globals(), 'stores' in globals())"


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (None, "['a'] ['sales', 'stores', 'a.b'] True True\n"),
        (["sales", "stores", "a.b"], "['a'] ['sales', 'stores', 'a.b'] True True\n"),
        (["a.b", "stores"], "['c'] ['a.b', 'stores'] False True\n"),
        (["stores"], "['b'] ['stores'] False True\n"),
    ],
)
def test_the_job_says_which_datasets_the_code_sees_and_in_which_order(
    new_runner: NewRunner, dataset: NewDataset, names: list[str] | None, shown: str
) -> None:
    mounted = {"sales": dataset("a\n1\n"), "stores": dataset("b\n2\n"), "a.b": dataset("c\n3\n")}
    job = python_job(SHOW)
    if names is not None:
        job["datasets"] = in_order(*names)
    finished = new_runner(datasets=mounted).client.finish(job)
    assert (finished.outcome, finished.text) == ("Succeeded", shown)


def test_a_job_without_datasets_hides_those_of_the_pod(
    new_runner: NewRunner, dataset: NewDataset
) -> None:
    code = "print(list(datasets), 'df' in globals(), 'sales' in globals())"
    runner = new_runner(datasets={"sales": dataset("a\n1\n")})
    finished = runner.client.finish({**python_job(code), "datasets": []})
    assert (finished.outcome, finished.text) == ("Succeeded", "[] False False\n")


def test_a_job_may_name_a_dataset_that_was_not_loaded_before(
    new_runner: NewRunner, dataset: NewDataset
) -> None:
    runner = new_runner(datasets={"sales": dataset("a\n1\n"), "stores": dataset("b\n2\n")}, load=1)
    job = {
        **python_job("print(list(stores), df is sales)"),
        "datasets": in_order("sales", "stores"),
    }
    finished = runner.client.finish(job)
    assert (finished.outcome, finished.text) == ("Succeeded", "['b'] True\n")


def test_a_job_with_a_dataset_that_its_pod_does_not_have_fails_to_start(
    new_runner: NewRunner,
) -> None:
    job = {**python_job("print('ran')"), "datasets": in_order("sales")}
    finished = new_runner().client.finish(job)
    assert (finished.outcome, finished.text) == ("StartFailed", "")
    assert finished.error["type"] == "SnapshotError"


def test_code_can_read_the_file_of_a_dataset_without_a_frame_and_is_told_where_it_wants_df(
    new_runner: NewRunner, dataset: NewDataset
) -> None:
    frameless = dataset("a\n1\n")
    description = '{"version": 3, "format": "csv", "frame": null, "frameless": true}'
    (frameless / "description.json").write_text(description)
    code = "print(open('/datasets/big/source.csv').read(), df)\ndf['a']"
    code = code.replace("/datasets/big", str(frameless))
    finished = new_runner(datasets={"big": frameless}).client.run(code)
    assert finished.text.startswith("a\n1\n <the dataset has no frame")
    assert finished.outcome == "CodeError"
    assert finished.result["error"]["type"] == "NoFrameError"
    assert "/workspace" in finished.result["error"]["message"]
    assert finished.result["error"]["line"] == 2
