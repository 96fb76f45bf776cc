"""`headgate plot`: the files it writes, the pictures it lists, and the errors it reports."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import headgate
from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate.figures.spec.kinds import KINDS

PER_KIND = ("png", "svg")


def plot(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["plot", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three replicates under random loss."""
    here = tmp_path_factory.mktemp("runs")
    scenario = headgate.dumbbell(
        rate="10 Mbit/s", rtt="20 ms", buffer="1 BDP", loss=0.01, flows=["reno", "cubic"]
    )
    for seed in (1, 2, 3):
        scenario.run("2 s", seed=seed, out=here / f"seed-{seed}")
    return [here / f"seed-{seed}" for seed in (1, 2, 3)]


def test_each_picture_is_a_png_and_an_svg_and_one_page_has_all(folders: list[Path]) -> None:
    paths = [Path(line) for line in plot(folders[0]).stdout.split()]
    kinds = ("throughput", "rtt", "cwnd", "queue", "throughput-delay", "topology")
    figures = folders[0] / "figures"
    expected = [figures / f"{kind}.{form}" for kind in kinds for form in PER_KIND]
    assert paths == [*expected, figures / "pictures.html"]
    page = paths[-1].read_text()
    assert re.findall(r'<section id="([^"]+)">', page) == list(kinds)
    assert not re.search(r"(src|href)=\"(?!#)", page.split("<script")[0])


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two algorithms with two round trips, three times each."""
    base = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", loss=0.01, flows=["reno"])
    made = headgate.Experiment(
        base.replaced({"duration": "2 s"}),
        factors={"network.rtt": ["20 ms", "40 ms"], "cca": ["reno", "cubic"]},
        responses=["goodput_bps"], replicates=3, tables=["flows"],
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("experiment") / "out"
    made.run(folder)
    return folder


def test_an_experiment_has_a_panel_a_condition_with_an_ellipse_an_algorithm(
    experiment: Path,
) -> None:
    done = plot(experiment, "--only", "throughput-delay", "--format", "html")
    page = Path(done.stdout.strip()).read_text()
    specs = json.loads(page.split('id="specs">')[1].split("</script>")[0])
    assert [spec["title"] for spec in specs.values()] == ["rtt 20 ms", "rtt 40 ms"]
    for spec in specs.values():
        points = [row for rows in spec["datasets"].values() for row in rows if row.get("each")]
        assert len(points) == 6
    assert "out, rtt 20 ms, cca reno, seed 1" in page
    assert "different conditions" not in page


def test_an_experiment_that_keeps_no_flows_is_one_sentence(tmp_path: Path) -> None:
    scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", loss=0.01, flows=["reno"])
    headgate.Experiment(
        scenario.replaced({"duration": "1 s"}),
        factors={"cca": ["reno", "cubic"]}, responses=["goodput_bps"],
    ).run(tmp_path / "out")  # fmt: skip
    with pytest.raises(HeadgateError, match="keep no flows; add tables"):
        plot(tmp_path / "out")


def test_only_requested_pictures_are_written(folders: list[Path], tmp_path: Path) -> None:
    done = plot(folders[0], "--only", "queue,rtt", "--format", "svg", "--out", tmp_path, "--json")
    assert json.loads(done.stdout) == [str(tmp_path / f"{kind}.svg") for kind in ("queue", "rtt")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["queue.svg", "rtt.svg"]


def test_the_page_of_a_title_is_safe(folders: list[Path], tmp_path: Path) -> None:
    shutil.copytree(folders[0], tmp_path / "<b>run</b>")
    plot(tmp_path / "<b>run</b>", "--only", "rtt", "--format", "html", "--out", tmp_path)
    page = (tmp_path / "pictures.html").read_text()
    assert "<b>" not in page.split("<script")[0]


def test_several_runs_are_compared(folders: list[Path]) -> None:
    paths = [Path(line) for line in plot(*folders).stdout.split()]
    assert {path.name for path in paths} == {
        "throughput-delay.png", "throughput-delay.svg", "pictures.html",
    }  # fmt: skip
    assert {path.parent for path in paths} == {folders[0].parent / "figures"}
    page = paths[-1].read_text()
    assert '"each":"seed-3"' in page


def test_folders_are_named_from_here_or_from_the_root(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    above = folders[0].parent
    monkeypatch.chdir(above.parent)
    near = [Path(above.name) / folder.name for folder in folders]
    only = ("--only", "throughput-delay", "--format", "svg")
    for given, figures in (
        (near, Path(above.name) / "figures"),
        ([near[0], *folders[1:]], above / "figures"),
    ):
        done = plot(*given, *only)
        assert done.stdout.split() == [str(figures / "throughput-delay.svg")]


def test_the_list_names_each_picture_with_a_line() -> None:
    lines = plot("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [kind.name for kind in KINDS]
    assert all(len(line) <= 100 for line in lines)


def test_the_list_says_what_a_run_lacks(folders: list[Path]) -> None:
    rows = {row["name"]: row for row in json.loads(plot(folders[0], "--list", "--json").stdout)}
    lacking = {name for name, row in rows.items() if row["lacks"]}
    assert lacking == {"fct", "fct-size", "real-packets", "time-sequence"}
    text = plot(folders[0], "--list").stdout
    assert "needs flows of given size that finish" in text
    assert "needs" not in plot("--list").stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "plot: name the folder of a run"),
        (["--only", "qeue"], "--only: there is no picture 'qeue'; pictures: throughput, rtt"),
        (["--format", "pdf"], "'pdf' is not one of png, svg, html; figures for papers take it"),
        (["--paper", "ieee", "--format", "html", "RUN"], "'html' is not one of pdf, svg, png"),
        (["--paper", "iee", "RUN"], "paper: 'iee' is not ieee, acm, or a width such as '88 mm'"),
        (["--columns", "2", "RUN"], "--columns: it is about figures for papers; add --paper"),
        (["--response", "goodput_bps", "RUN"], "--response: it is about means"),
        (["--overlay", "RUN"], "--overlay: name at least two runs"),
        (["--facet-rows", "rtt", "RUN"], "need the folder of an experiment"),
        (["--facet-rows", "rtt", "RUN", "OTHER"], "facet-rows: there is no factor 'rtt'"),
        (["--minus", "OTHER", "--only", "rtt", "RUN"], "--minus: it draws the topology"),
        (["--minus", "OTHER"], "--minus: name one run"),
        (["--only", "means", "RUN"], "is not the folder of a finished experiment"),
        (["--only", "topology", "--overlay", "RUN", "OTHER"], "plot topology: shows one run"),
        (["--only", "fct", "RUN"], "plot fct: needs flows of given size that finish"),
        (["--only", "rtt", "RUN", "OTHER"], "plot rtt: shows one run; give one folder; --overlay"),
        (["nowhere"], "nowhere: contains no finished run"),
    ],
)
def test_mistakes_end_in_one_sentence(
    folders: list[Path], arguments: list[str], sentence: str
) -> None:
    places = {"RUN": str(folders[0]), "OTHER": str(folders[1])}
    with pytest.raises(HeadgateError) as refused:
        plot(*(places.get(word, word) for word in arguments))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_figures_for_a_paper_are_pdf_and_svg_with_caption_and_data(
    folders: list[Path], experiment: Path, tmp_path: Path
) -> None:
    paths = plot(folders[0], "--paper", "ieee", "--only", "throughput", "--out", tmp_path)
    names = [Path(path).name for path in paths.stdout.split()]
    assert names == [f"throughput.{form}" for form in ("pdf", "svg", "txt", "csv")]
    done = plot(experiment, "--paper", "acm", "--columns", "2", "--format", "pdf", "--json")
    made = {Path(path) for path in json.loads(done.stdout)}
    assert {path.parent for path in made} == {experiment / "paper"}
    assert {path.name for path in made if path.suffix == ".pdf"} == {
        "means-goodput_bps.pdf", "throughput-delay.pdf",
    }  # fmt: skip


def test_means_need_no_flows_of_the_runs(tmp_path: Path) -> None:
    scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", loss=0.01, flows=["reno"])
    headgate.Experiment(
        scenario.replaced({"duration": "1 s"}),
        factors={"cca": ["reno", "cubic"]}, responses=["goodput_bps"],
    ).run(tmp_path / "out")  # fmt: skip
    done = plot(tmp_path / "out", "--paper", "88 mm", "--format", "pdf")
    assert done.stdout.split()[0] == str(tmp_path / "out" / "paper" / "means-goodput_bps.pdf")


def test_runs_lie_over_each_other_and_folders_of_pictures_are_left_out(
    folders: list[Path],
) -> None:
    above = folders[0].parent
    for _ in range(2):  # the second time, the pattern finds the folder of pictures too
        found = sorted(path for path in above.iterdir() if path.is_dir())
        paths = plot(*found, "--overlay", "--format", "svg").stdout.split()
        assert [Path(path).name for path in paths] == [
            f"{kind}.svg" for kind in ("throughput", "rtt", "cwnd", "queue")
        ]
    assert (above / "figures").is_dir()


def test_a_run_minus_another_is_a_map(folders: list[Path], tmp_path: Path) -> None:
    done = plot(folders[0], "--minus", folders[1], "--format", "svg", "--out", tmp_path)
    names = [Path(path).name for path in done.stdout.split()]
    assert names == ["topology-change-of-use.svg", "topology-change-of-loss.svg"]


def test_responses_as_rows_are_about_means_and_leave_other_pictures_as_they_are(
    experiment: Path, tmp_path: Path
) -> None:
    plot(experiment, "--paper", "ieee", "--facet-rows", "response", "--out", tmp_path)
    assert {path.stem for path in tmp_path.glob("*.pdf")} >= {"means", "throughput-delay"}
