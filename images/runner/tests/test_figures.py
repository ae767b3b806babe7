"""Showing a plot writes it to a file."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib.image
import plotly.io
import pytest

from assay_runner.worker.figures import MAX_BYTES, MAX_FIGURES
from local_runner import NewRunner, Runner
from runner_client import Json, python_job

pytestmark = pytest.mark.slow

PLT = "import matplotlib.pyplot as plt\n"


def run(new_runner: NewRunner, code: str) -> tuple[Runner, str]:
    runner = new_runner()
    finished = runner.client.run(code)
    assert finished.error is None, finished.error
    return runner, finished.text


def files(runner: Runner) -> list[str]:
    return sorted(path.name for path in (runner.workspace / "artifacts").iterdir())


@pytest.mark.parametrize(
    "show",
    [
        "px.line([1, 2]).show()",
        "px.line([1, 2]).show(renderer='browser')",
        "import plotly.graph_objects as go; go.Figure().show()",
        "import plotly.io; plotly.io.show(px.bar([1]), validate=False)",
        "import plotly.io; plotly.io.show({'data': []})",
        "import os; os.chdir('/'); px.line([1]).show()",
    ],
)
def test_a_figure_of_plotly_is_json_that_plotly_reads(new_runner: NewRunner, show: str) -> None:
    runner, text = run(new_runner, show)
    assert text == "Plot saved as artifacts/figure-1.plotly.json\n"
    path = runner.workspace / "artifacts" / "figure-1.plotly.json"
    assert plotly.io.from_json(path.read_text(), skip_invalid=False) is not None


@pytest.mark.parametrize(
    "show",
    [
        PLT + "plt.plot([1]); plt.show()",
        PLT + "plt.plot([1]); plt.show(block=True)",
        PLT + "plt.subplots()[0].show()",
        PLT + "pd.Series([1]).plot(); plt.show()",
        "import os\n" + PLT + "os.chdir('/'); plt.figure(); plt.show()",
    ],
)
def test_a_figure_of_matplotlib_is_a_picture(new_runner: NewRunner, show: str) -> None:
    runner, text = run(new_runner, show)
    assert text == "Plot saved as artifacts/figure-1.png\n"
    picture = (runner.workspace / "artifacts" / "figure-1.png").read_bytes()
    assert matplotlib.image.imread(io.BytesIO(picture)).shape[:2] == (480, 640)


def test_each_figure_is_a_file_and_the_next_plot_a_new_figure(new_runner: NewRunner) -> None:
    runner, text = run(
        new_runner,
        PLT + "plt.figure(); plt.figure(); plt.show()\n"
        "print(plt.get_fignums())\n"
        "plt.plot([1]); plt.show()\n"
        "px.line([1]).show()\n"
        "plt.show()\n",
    )
    assert text == (
        "Plot saved as artifacts/figure-1.png\nPlot saved as artifacts/figure-2.png\n[]\n"
        "Plot saved as artifacts/figure-3.png\nPlot saved as artifacts/figure-4.plotly.json\n"
    )
    assert len(files(runner)) == 4


def test_figures_are_limited_in_number_and_bytes(new_runner: NewRunner) -> None:
    runner, text = run(
        new_runner,
        f"for _ in range({MAX_FIGURES + 2}): px.line([1]).show()\n",
    )
    assert len(files(runner)) == MAX_FIGURES
    limit = f"Plot not saved: {MAX_FIGURES} plots of this run were saved"
    assert text.splitlines()[-2:] == [limit, limit]
    runner, text = run(
        new_runner,
        f"for _ in range(3): px.line(title='x' * {MAX_BYTES // 2 - 100_000}).show()",
    )
    assert len(files(runner)) == 2
    assert text.splitlines()[-1] == (
        f"Plot not saved: the plots of this run would take over {MAX_BYTES:,} bytes"
    )


@pytest.mark.parametrize(
    "size", ["figsize=(1000, 1000)", "figsize=(3000, 1)", "dpi=100_000", "figsize=(0.1, 0.1)"]
)
def test_a_picture_of_any_size_is_limited_in_pixels(new_runner: NewRunner, size: str) -> None:
    runner, text = run(new_runner, f"{PLT}plt.figure({size}); plt.show()")
    assert text == "Plot saved as artifacts/figure-1.png\n"
    header = (runner.workspace / "artifacts" / "figure-1.png").read_bytes()[16:24]
    width, height = int.from_bytes(header[:4]), int.from_bytes(header[4:])
    assert 0 < width * height <= 25_100_000


def test_a_file_of_the_code_is_not_overwritten(new_runner: NewRunner) -> None:
    runner, text = run(
        new_runner,
        "import os\nos.makedirs('artifacts', exist_ok=True)\n"
        "open('artifacts/figure-1.png', 'w').write('mine')\n" + PLT + "plt.figure(); plt.show()",
    )
    assert text == "Plot saved as artifacts/figure-2.png\n"
    assert (runner.workspace / "artifacts" / "figure-1.png").read_text() == "mine"


def test_a_plot_that_cannot_be_written_is_told(new_runner: NewRunner) -> None:
    _, text = run(new_runner, "open('artifacts', 'w').close()\npx.line([1]).show()")
    assert text == "Plot not saved: File exists\n"


def test_an_error_of_drawing_is_that_of_the_code(new_runner: NewRunner) -> None:
    finished = new_runner().client.run(PLT + "plt.title('$\\\\frac{1$'); plt.show()")
    assert finished.error is not None
    assert (finished.error["type"], finished.error["line"]) == ("ValueError", 2)


def test_pictures_are_drawn_in_processes_of_a_pool(new_runner: NewRunner, tmp_path: Path) -> None:
    runner, text = run(
        new_runner,
        "import concurrent.futures, multiprocessing\n"
        + PLT
        + "def draw(_): plt.figure(); plt.show()\n"
        "context = multiprocessing.get_context('fork')\n"
        "with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:\n"
        "    list(pool.map(draw, range(4)))\n",
    )
    assert files(runner) == [f"figure-{number}.png" for number in range(1, 5)], text


@pytest.mark.parametrize(
    "code",
    [
        PLT + "plt.plot([1, 2])",
        PLT + "fig, ax = plt.subplots(); ax.bar([1], [2])",
        PLT + "df = pd.DataFrame({'a': [1, 2]}); df.plot()",
        "import seaborn as sns; sns.histplot([1, 2, 2])",
        PLT + "plt.plot([1])\nimport sys\nsys.exit(0)",
        "import matplotlib\nmatplotlib.use('Agg')\n" + PLT + "plt.plot([1])",
        PLT + "plt.switch_backend('agg'); plt.plot([1])",
        "import threading\n"
        + PLT
        + "t = threading.Thread(target=lambda: plt.plot([1])); t.start(); t.join()",
    ],
)
def test_a_figure_that_is_left_open_is_a_picture(new_runner: NewRunner, code: str) -> None:
    runner = new_runner()
    finished = runner.client.finish(leaving(code))
    assert finished.error is None
    assert finished.text == ""
    assert list(finished.artifacts) == ["artifacts/figure-1.png"]


@pytest.mark.parametrize("last", ["fig", "result = fig", "result = fig\nprint(1)"])
def test_a_figure_of_plotly_that_is_the_last_value_is_kept(
    new_runner: NewRunner, last: str
) -> None:
    runner = new_runner()
    finished = runner.client.finish(leaving(f"fig = px.line([1, 2])\n{last}"))
    assert list(finished.artifacts) == ["artifacts/figure-1.plotly.json"]


@pytest.mark.parametrize(
    "code",
    [
        PLT + "plt.plot([1]); plt.savefig('a.png')",
        PLT + "plt.plot([1]); plt.gcf().savefig('a.png', format='svg')",
        "import matplotlib\nmatplotlib.use('Agg')\n" + PLT + "plt.plot([1]); plt.savefig('a.png')",
        PLT + "plt.plot([1]); plt.close()\nopen('a.png', 'w').close()",
        PLT + "plt.figure()\nopen('a.png', 'w').close()",
        "fig = px.line([1])\nfig.write_json('a.png')\nx = fig",
    ],
)
def test_a_figure_that_was_saved_closed_or_is_empty_is_not_saved_again(
    new_runner: NewRunner, code: str
) -> None:
    runner = new_runner()
    assert list(runner.client.finish(leaving(code)).artifacts) == ["a.png"]


def test_a_figure_that_was_shown_is_not_saved_again(new_runner: NewRunner) -> None:
    runner = new_runner()
    finished = runner.client.finish(leaving("fig = px.line([1])\nfig.show()\nfig"))
    assert list(finished.artifacts) == ["artifacts/figure-1.plotly.json"]


def test_of_a_hundred_open_figures_the_first_are_kept(new_runner: NewRunner) -> None:
    runner = new_runner()
    code = PLT + "for n in range(100): plt.figure(figsize=(1, 1)); plt.plot([n])"
    finished = runner.client.finish(leaving(code))
    assert len(finished.artifacts) == MAX_FIGURES
    assert finished.text.count("Plot not saved") == 1


def test_a_figure_that_is_open_at_an_error_or_cannot_be_drawn_changes_no_end(
    new_runner: NewRunner,
) -> None:
    failed = new_runner().client.finish(leaving(PLT + "plt.plot([1]); 1/0"))
    assert failed.error is not None
    assert failed.error["type"] == "ZeroDivisionError"
    assert list(failed.artifacts) == ["artifacts/figure-1.png"]
    unsaved = new_runner().client.finish(leaving(PLT + "plt.plot([1]); plt.savefig('/no/a.png')"))
    assert unsaved.error is not None
    assert list(unsaved.artifacts) == ["artifacts/figure-1.png"]
    drawn = new_runner().client.finish(leaving(PLT + "plt.plot([1]); plt.title(r'$\\frac$')"))
    assert drawn.error is None
    assert drawn.text.startswith("Plot not saved: ValueError")


@pytest.mark.parametrize("write", ["plt.savefig('a.png')", "plt.show()", "plt.gcf().show()"])
def test_a_warning_about_a_plot_names_the_line_that_writes_it(
    new_runner: NewRunner, write: str
) -> None:
    code = f"{PLT}plt.plot([1])\nplt.title('\\u65e5')\n{write}"
    text = new_runner().client.finish(leaving(code)).text
    assert "main.py:" in text
    assert ": UserWarning: Glyph 26085" in text
    assert f"\n  {write}\n" in text
    assert "assay_runner" not in text


def test_a_warning_about_a_plot_that_is_left_open_names_no_line(new_runner: NewRunner) -> None:
    code = f"{PLT}plt.plot([1])\nplt.title('\\u65e5')"
    text = new_runner().client.finish(leaving(code)).text
    assert text.startswith("UserWarning: Glyph 26085")
    assert "assay_runner" not in text


def leaving(code: str) -> Json:
    collect = {"folders": ["artifacts"], "anywhere": True, "maxCount": 100, "maxBytes": 2**26}
    return python_job(code) | {"collect": collect}


@pytest.mark.parametrize(
    "make",
    [
        "os.mkdir('artifacts')",
        "os.makedirs('artifacts')",
        "os.makedirs('artifacts/deep')",
        "os.makedirs('artifacts', exist_ok=True)",
        "os.mkdir(os.path.join(os.getcwd(), 'artifacts'), 0o755)",
        "import pathlib; pathlib.Path('artifacts').mkdir()",
        "pass",
    ],
)
def test_there_is_a_folder_for_files_which_code_may_create(
    new_runner: NewRunner, make: str
) -> None:
    code = f"import os\n{make}\ndf = pd.DataFrame({{'a': [1]}}); df.to_csv('artifacts/a.csv')"
    finished = new_runner().client.finish(leaving(code))
    assert finished.error is None
    assert list(finished.artifacts) == ["artifacts/a.csv"]


def test_a_folder_that_code_has_created_is_there_the_second_time(new_runner: NewRunner) -> None:
    code = """
import os
for path in ("artifacts", "artifacts", "b", "b"):
    try:
        os.mkdir(path)
        print("made", path)
    except FileExistsError as error:
        print(error)
"""
    text = new_runner().client.finish(leaving(code)).text
    assert text.splitlines() == [
        "made artifacts",
        "[Errno 17] File exists: 'artifacts'",
        "made b",
        "[Errno 17] File exists: 'b'",
    ]
