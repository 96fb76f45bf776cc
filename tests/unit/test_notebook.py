"""Scenarios and results in a notebook, and runs that a person waits for in Python."""

import itertools
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from headgate import Experiment, Result, Scenario, dumbbell
from headgate.base.errors import InterruptedRunError, StoreError
from headgate.base.progress import in_notebook
from headgate.data.measures.shown import show_run
from headgate.data.tables import Table, Words
from headgate.engine.run.progress import Progress, show_progress
from headgate.engine.run.simulate import SNAPSHOT_FILE
from headgate.figures.plots.network import NAMED_ROUTERS, topology


def make_scenario(**changes: Any) -> Scenario:
    plain = {
        "title": "a <b>bold</b> title",
        "duration": "5 s",
        "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"},
        "traffic": [{"kind": "flows", "cca": "reno"}, {"kind": "flows", "cca": "fast"}],
    }
    return Scenario.from_dict({**plain, **changes})


def words_of(html: str) -> list[str]:
    return re.sub(r"<svg.*?</svg>|<[^>]+>", " ", html, flags=re.DOTALL).split()


def test_a_scenario_shows_its_senders_and_its_network() -> None:
    html = make_scenario()._repr_html_()
    assert {"reno", "fast", "dumbbell,"} <= set(words_of(html))
    assert "<b>" not in html
    assert html.count("<svg") == 1


@pytest.mark.parametrize("routers", [2, 5, 60])
def test_a_topology_names_its_routers_while_there_is_room(routers: int) -> None:
    names = [f"r{i}" for i in range(routers)]
    figure = topology([(a, b) for a, b in itertools.pairwise(names)] + [("r0", "r1")])
    labels = {text.get_text() for text in figure.axes[0].texts}
    assert labels == (set(names) if routers <= NAMED_ROUTERS else set())


def test_a_result_shows_the_throughput_of_each_algorithm() -> None:
    html = make_scenario().run()._repr_html_()
    assert html.count("<svg") == 1
    assert "nan" not in words_of(html)
    assert {"reno", "fast", "goodput", "(Mbit/s)", "bottleneck"} <= set(words_of(html))


def test_a_printed_result_has_the_figures_of_the_command_line() -> None:
    result = make_scenario().run()
    lines = str(result).splitlines()
    goodput = 1e-6 * result.flows["goodput_bps"][result.flows["cca"] == "fast"][0]
    assert [line.split()[0] for line in lines[3:5]] == ["fast", "reno"]
    assert lines[3].split()[3] == f"{goodput:.4g}"
    assert {"Mbit/s", "Busiest", "bottleneck"} <= set(str(result).split())
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 12
    assert "\n" not in repr(result)


def test_a_printed_result_obeys_no_name() -> None:
    result = make_scenario().run()
    ports = result.tables["ports"]
    links = Words.of(["\x1b[31mred" for _ in range(len(ports))])
    tables = {**result.tables, "ports": Table("ports", {**dict(ports), "link": links})}
    assert r"\x1b[31mred" in str(Result(tables, result.meta))


def test_a_result_without_samples_shows_its_network() -> None:
    html = make_scenario(measure={"series": "none"}).run()._repr_html_()
    assert html.count("<svg") == 1


def test_in_a_script_pictures_are_saved_and_their_paths_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_scenario().run().plot(tmp_path / "pictures")
    paths = capsys.readouterr().out.splitlines()
    assert str(tmp_path / "pictures" / "throughput.png") in paths
    for path in map(Path, paths):
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.with_suffix(".svg").is_file()


def test_a_folder_for_pictures_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        make_scenario().run().plot(tmp_path / "file" / "pictures")


def test_an_experiment_shows_its_design_and_its_base() -> None:
    html = make_experiment()._repr_html_()
    assert html.count("<svg") == 1
    assert "2 conditions" in html
    assert {"10", "goodput_bps", "reno"} <= set(re.split(r"[\s,()]+", " ".join(words_of(html))))
    assert "<b>bold" not in html


def make_experiment() -> Experiment:
    short = make_scenario(duration="2 s")
    return Experiment(short, {"network.rtt": ["10 ms", "20 ms"]}, title="a <b>bold</b> one")


def test_the_result_of_an_experiment_shows_its_picture(
    tmp_path: Path, notebook: "Notebook"
) -> None:
    result = make_experiment().run(tmp_path, workers=1)
    assert result._repr_html_().count("<svg") == 1
    assert any("2/2 runs" in shown for shown in notebook.shown)
    assert "100 %" not in "".join(notebook.shown)


def test_ctrl_c_in_an_experiment_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise InterruptedRunError("stopped with 1 of 2 runs")

    monkeypatch.setattr("headgate.experiment.experiment.runner.run_study", stop)
    with pytest.raises(KeyboardInterrupt, match="stopped with 1 of 2 runs"):
        make_experiment().run(tmp_path)


def test_a_run_is_kept_and_read_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    made = make_scenario().run(out=out)
    assert Result.read(out).digest == made.digest
    assert make_scenario().run(out=str(out)).meta["wall_s"] == made.meta["wall_s"]
    with pytest.raises(StoreError, match="holds the run of another scenario"):
        make_scenario().run(out=out, seed=2)


def test_ctrl_c_is_one_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: Any, at: Progress) -> None:
        if at.share > 0.3:
            raise KeyboardInterrupt

    monkeypatch.setattr("headgate.engine.run.simulate.SLICE_S", 0.0)
    monkeypatch.setattr(
        "headgate.engine.run.progress._plain", lambda title: lambda at: stop(title, at)
    )
    scenario, out = make_scenario(duration="20 s"), tmp_path / "run"
    with pytest.raises(KeyboardInterrupt, match="the same command resumes it"):
        scenario.run(out=out, progress=True)
    assert (out / SNAPSHOT_FILE).is_file()
    resumed = scenario.run(out=out)
    assert resumed.meta["resumed"]
    assert resumed.digest == scenario.run().digest


def make_shell() -> SimpleNamespace:
    """Return the parts of a notebook's shell that Headgate and Matplotlib use."""
    events = SimpleNamespace(register=lambda *_: None, unregister=lambda *_: None)
    return SimpleNamespace(kernel=object(), events=events, enable_gui=lambda *_: None)


class Notebook:
    """The display functions that IPython provides to a cell."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, *drawn: str, display_id: bool = False) -> SimpleNamespace:
        self.shown += drawn
        return SimpleNamespace(update=self.shown.append)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()
    shell, shows = ModuleType("IPython"), ModuleType("IPython.display")
    shell.version_info = (8, 24)  # type: ignore[attr-defined]
    shell.get_ipython = make_shell  # type: ignore[attr-defined]
    shows.HTML, shows.display = str, made.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", shows)
    return made


def test_a_notebook_has_a_bar_below_the_cell(notebook: Notebook) -> None:
    assert in_notebook()
    make_scenario().run()
    shares = [float(re.findall(r'value="([\d.]+)"', drawn)[0]) for drawn in notebook.shown]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert all("&lt;b&gt;" in drawn and "<b>" not in drawn for drawn in notebook.shown)


def test_elsewhere_a_run_is_silent_unless_it_is_asked(capfd: pytest.CaptureFixture[str]) -> None:
    assert not in_notebook()
    make_scenario().run()
    assert not capfd.readouterr().err
    make_scenario().run(progress=True)
    assert "5.0 of 5.0 s simulated" in capfd.readouterr().err


def test_a_notebook_shows_the_pictures_below_the_cell(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = make_scenario().run(progress=False)
    result.plot()
    assert len(notebook.shown) == len(result.figures()) > 1
    assert all(drawn.startswith("<svg") for drawn in notebook.shown)
    assert not list(tmp_path.iterdir())


def test_a_bar_says_where_a_run_is(notebook: Notebook) -> None:
    with show_progress("run") as report:
        report(Progress(1.0, 4.0, 1000, 500.0, 6.0))
    assert "1.0 of 4.0 s simulated" in notebook.shown[-1]


@pytest.mark.parametrize("source", ["loss", "course"])
def test_losses_of_the_link_are_shown_beside_drops_of_the_queue(
    source: str, tmp_path: Path
) -> None:
    (tmp_path / "course.csv").write_text("time_s,loss\n0,0.05\n")
    keys = {"loss": {"loss": 0.05}, "course": {"course": str(tmp_path / "course.csv")}}[source]
    result = dumbbell(
        rate="10 Mbit/s", rtt="20 ms", buffer="infinite", flows=["reno"] * 4, **keys
    ).run("20 s")
    _, ports = show_run(result.tables, result.meta)
    first = next(iter(ports.records()))
    assert first["link"] == "bottleneck"
    assert float(first["dropped (%)"]) == 0
    assert float(first["lost on link (%)"]) == pytest.approx(5, rel=0.2)
