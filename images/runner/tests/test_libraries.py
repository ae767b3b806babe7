"""Each library of the image works."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_runner import NewRunner

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("code", "output"),
    [
        (
            "import polars as pl\n"
            "frame = pl.from_pandas(pd.DataFrame({'g': ['a', 'b', 'a'], 'x': [1, 2, 3]}))\n"
            "print(frame.group_by('g').agg(pl.col('x').sum()).sort('g').rows())\n",
            "[('a', 4), ('b', 2)]\n",
        ),
        (
            "import duckdb\n"
            "frame = pd.DataFrame({'g': ['a', 'b', 'a'], 'x': [1, 2, 3]})\n"
            "print(duckdb.sql('select g, sum(x) from frame group by g order by g').fetchall())\n"
            "with duckdb.connect('file.db') as file:\n"
            "    file.execute('create table made as select 42 as x')\n"
            "    print(file.table('made').df()['x'].tolist())\n",
            "[('a', 4), ('b', 2)]\n[42]\n",
        ),
        (
            "import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq\n"
            "pq.write_table(pa.table({'a': [1, 2, 3]}), 'file.parquet')\n"
            "print(pc.sum(pq.read_table('file.parquet')['a']))\n"
            "print(pd.read_parquet('file.parquet').shape)\n",
            "6\n(3, 1)\n",
        ),
        (
            "from scipy import optimize, stats\n"
            "print(round(optimize.brentq(lambda x: x * x - 2, 0, 2), 6))\n"
            "print(stats.linregress([1, 2, 3], [2, 4, 6]).slope)\n",
            "1.414214\n2.0\n",
        ),
        (
            "from sklearn.ensemble import RandomForestClassifier\n"
            "from sklearn.svm import SVC\n"
            "x, y = [[0], [1]] * 10, [0, 1] * 10\n"
            "forest = RandomForestClassifier(4, n_jobs=2, random_state=0).fit(x, y)\n"
            "print(forest.predict([[0], [1]]).tolist())\n"
            "SVC(verbose=True).fit(x, y)\n",
            "[0, 1]\n[LibSVM]*\noptimization finished, #iter = 2\n",
        ),
        (
            "pd.DataFrame({'a': [1, 2]}).to_excel('file.xlsx', index=False)\n"
            "print(pd.read_excel('file.xlsx')['a'].sum())\n",
            "3\n",
        ),
        (
            "frame = pd.DataFrame({'a': [1, 2]})\n"
            "frame.to_excel('file.xlsx', index=False, engine='xlsxwriter')\n"
            "print(pd.read_excel('file.xlsx')['a'].sum())\n",
            "3\n",
        ),
        (
            "frame = pd.DataFrame({'a': [1, 2]})\n"
            "print(frame.to_markdown())\n"
            "print(frame.style.format('{:.1f}').to_html().count('<td'))\n"
            "frame.to_xml('file.xml')\n"
            "print(pd.read_xml('file.xml')['a'].sum())\n",
            "|    |   a |\n|---:|----:|\n|  0 |   1 |\n|  1 |   2 |\n2\n3\n",
        ),
        (
            "import seaborn\n"
            "axes = seaborn.barplot(x=['a', 'b'], y=[1, 2])\n"
            "print(len(axes.patches))\n",
            "2\n",
        ),
        (
            "import statsmodels.formula.api as models\n"
            "frame = pd.DataFrame({'x': [1, 2, 3, 4], 'y': [2, 4, 6, 8.5]})\n"
            "print(models.ols('y ~ x', frame).fit().params.round(2).to_dict())\n",
            "{'Intercept': -0.25, 'x': 2.15}\n",
        ),
    ],
    ids=[
        *("polars", "duckdb", "pyarrow", "scipy", "scikit-learn", "openpyxl", "xlsxwriter"),
        *("tabulate-jinja2-lxml", "seaborn", "statsmodels"),
    ],
)
def test_a_library_works(new_runner: NewRunner, code: str, output: str) -> None:
    finished = new_runner().client.run(code)
    assert finished.error is None, finished.error
    assert finished.result["exit"] == {"code": 0, "signal": None}, finished.text
    # What C code prints comes too, at its place.
    assert finished.text.startswith(output)


@pytest.mark.executed
def test_plots_are_drawn_and_saved_without_a_display(new_runner: NewRunner) -> None:
    runner = new_runner(worker_environment={"DISPLAY": ":0", "BROWSER": "firefox"})
    finished = runner.client.run(
        "import matplotlib, matplotlib.pyplot as plt\n"
        "from PIL import Image\n"
        "pd.Series([1, 3, 2]).plot(title='Title')\n"
        "plt.savefig('plot.png')\n"
        "print(Image.open('plot.png').size)\n"
        "px.bar([1]).write_html('plot.html')\n"
        "print('plotly.js' in open('plot.html').read())\n"
        "print(matplotlib.get_cachedir())\n"
        "matplotlib.use('Agg')\n"
        "plt.figure(); plt.savefig('other.png')\n"
    )
    assert finished.error is None, finished.error
    scratch = runner.scratch
    assert finished.text == f"(640, 480)\nTrue\n{scratch}/.config/matplotlib\n"


def test_the_list_of_fonts_of_the_image_is_used(new_runner: NewRunner, tmp_path: Path) -> None:
    whose = "import matplotlib.font_manager as fonts\nprint(fonts.fontManager.defaultFamily['afm'])"
    runner = new_runner()
    assert runner.client.run(whose).text == "Helvetica\n"
    (made,) = (runner.scratch / ".config" / "matplotlib").glob("fontlist-*.json")
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / made.name).write_text(made.read_text().replace("Helvetica", "Kept"))
    runner = new_runner(worker_environment={"ASSAY_MATPLOTLIB_CACHE": str(kept)})
    finished = runner.client.run(
        f"import os\n{whose}\nopen(os.environ['MPLCONFIGDIR'] + '/other', 'w').write('x')"
    )
    assert finished.error is None, finished.error
    assert finished.text == "Kept\n"


@pytest.mark.executed
def test_only_the_documented_libraries_are_imported_before_the_job(
    new_runner: NewRunner,
) -> None:
    finished = new_runner().client.run(
        "import sys\n"
        "costly = ('asyncio', 'duckdb', 'matplotlib', 'multiprocessing', 'openpyxl', 'polars',\n"
        "          'jinja2', 'lxml', 'plotly', 'scipy', 'seaborn', 'sklearn',\n"
        "          'statsmodels', 'tabulate', 'xlsxwriter')\n"
        "print([name for name in costly if name in sys.modules])\n"
    )
    assert finished.text == "[]\n"
