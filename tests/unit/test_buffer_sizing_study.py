"""Buffer sizing, a declared study: the closed form by hand, every claim judged, its size."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from headgate import Experiment, Scenario
from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.study.study import Overrides, load, plan_study
from headgate.figures.plots.effects import FactorAxis, InteractionPanel, draw_interaction
from headgate.figures.plots.style import save_figure
from headgate_studies.buffer_sizing.analysis import sawtooth

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to" / "write-a-study.md"
GENTLE = f"{ROOT / 'examples' / 'ccas' / 'gentle.py'}:Gentle"
SMALL = ('duration="8 s"', "flows=[25, 100]", 'rate="20 Mbit/s"', 'warmup="2 s"')


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study(
        "buffer-sizing", "quick", tmp_path_factory.mktemp("out"), Overrides((), SMALL)
    )
    two = replace(asked.setup, seeds=(1, 2))
    return run_study(StudyRun(asked.study, two, asked.folder, "quick"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The study of the how-to, copied from its page."""
    made = tmp_path / "one-buffer"
    made.mkdir()
    own, *_ = HOW_TO.read_text().partition("## 4.")
    spec, *claims = re.findall(r"^```toml\n(.*?)^```", own, re.DOTALL | re.MULTILINE)
    (made / "study.toml").write_text(spec)
    (made / "claims.toml").write_text("\n".join(claims))
    return made


def test_the_closed_form_by_hand() -> None:
    """Half the packets of a window of 1 BDP on average with no buffer; no idle time with 1 BDP.

    With half a BDP the window runs from 0.75 to 1.5 BDP. Up to 1 it takes 0.25 units of time and
    sends 0.25 * 0.875; from there round trips grow with it, and it sends all of 0.625.
    """
    assert sawtooth(0) == 0.75
    assert sawtooth(1) == 1.0
    assert sawtooth(0.5) == pytest.approx((0.25 * 0.875 + 0.625) / (0.25 + 0.625))


def test_the_closed_form_is_that_of_a_window_counted_out() -> None:
    """A window that grows by one a round trip, halved at the overflow, of 10,000 packets."""
    bdp = 10_000
    for buffer in (0.1, 0.3, 0.7):
        top = bdp * (1 + buffer)
        window = np.arange(top / 2, top)
        assert window.sum() / np.maximum(window, bdp).sum() == pytest.approx(
            sawtooth(buffer), rel=1e-3
        )


def test_every_claim_is_judged(outcome: StudyOutcome) -> None:
    assert len(outcome.claims) == 7
    assert all(claim.verdict != Verdict.NOT_RUN for claim in outcome.claims)
    assert all(claim.ci is not None for claim in outcome.claims)


def test_the_answer_comes_first_and_has_its_picture(outcome: StudyOutcome, tmp_path: Path) -> None:
    assert outcome.sentences[0].startswith("With a buffer of BDP/sqrt(n) the link is used: ")
    first = outcome.analysis.pictures[0]
    assert first.name == "buffer-sizing"
    assert all(
        path.stat().st_size > 5000 for path in save_figure(first.figure, tmp_path, first.name)
    )
    assert {table.name for table in outcome.analysis.data} == {"few", "many", "short"}


def test_buffers_are_multiples_of_bdp_over_the_root_of_n() -> None:
    study = load("buffer-sizing")
    jobs = study.jobs(study.setup(study.scale("quick")))
    scenario = jobs["many", "reno", 100, "3 BDP", 1].scenario.to_dict()
    assert scenario["network"]["buffer"] == "0.3 BDP"
    assert [item.get("count") for item in scenario["traffic"]] == [20, 20, 20, 20, 20, None]


def test_a_share_of_the_full_size_is_a_share_of_its_replicates() -> None:
    study = load("buffer-sizing")
    seeds = {key[-1] for key in study.jobs(study.setup(study.scale("1/10")))}
    assert seeds == {1, 2, 3}


def test_a_user_defined_algorithm_is_added_and_changes_no_claim(
    folder: Path, tmp_path: Path
) -> None:
    alone = run_study(plan_study(str(folder), "quick", tmp_path / "out"))
    beside = run_study(plan_study(str(folder), "quick", tmp_path / "out", Overrides((GENTLE,))))
    assert [claim.ours for claim in beside.claims] == [claim.ours for claim in alone.claims]
    assert set(beside.analysis.data[0]["cca"].tolist()) == {"reno", "Gentle"}
    assert len(beside.analysis.data[0]) == 2 * len(alone.analysis.data[0])


def test_all_of_the_study_is_150_lines() -> None:
    files = [p for p in load("buffer-sizing").folder.iterdir() if p.suffix in (".py", ".toml")]
    assert sum(len(path.read_text().splitlines()) for path in files) <= 150


def test_the_study_of_the_how_to_runs_and_holds(folder: Path, tmp_path: Path) -> None:
    made = run_study(plan_study(str(folder), "quick", tmp_path / "out"))
    assert [claim.verdict for claim in made.claims] == [Verdict.HOLDS] * 3
    assert made.report.stat().st_size > 5000
    assert made.sentences[0].startswith(
        "one: Utilisation of the busiest link is highest with buffer 1 BDP"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"$rate"', '"$rates"', "no setting 'rates'; the settings are buffers, duration, rate"),
        ("[sweeps.one]", "[sweeps.two]", "claims.sawtooth: Catalog Error: .*one"),
        ("$buffers", "$duration", "sweeps.one: factors.buffer.levels"),
    ],
)
def test_a_mistake_is_one_sentence(
    folder: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = (folder / "study.toml").read_text().replace(old, new)
    (folder / "study.toml").write_text(text)
    with pytest.raises(HeadgateError, match=said) as raised:
        _ = plan_study(str(folder), "quick", tmp_path / "out").jobs
    assert "\n" not in str(raised.value)


def test_a_sweep_may_name_a_file_of_a_scenario(folder: Path, tmp_path: Path) -> None:
    text = (folder / "study.toml").read_text()
    own = "\n".join(line for line in text.splitlines() if not line.startswith("scenario."))
    (folder / "study.toml").write_text(
        own.replace("[sweeps.one]", '[sweeps.one]\nscenario = "base.toml"')
    )
    Scenario.from_dict({**BASE, "duration": "9 s"}).save(folder / "base.toml")
    jobs = plan_study(str(folder), "quick", tmp_path / "out").jobs
    assert {job.scenario.to_dict()["duration"] for job in jobs.values()} == {"9 s"}
    (folder / "study.toml").write_text(own)
    with pytest.raises(HeadgateError, match=r"sweeps\.one: it names no scenario"):
        _ = plan_study(str(folder), "quick", tmp_path / "out").jobs


def test_a_folder_elsewhere_may_hold_no_code(folder: Path) -> None:
    (folder / "analysis.py").write_text("raise SystemExit\n")
    with pytest.raises(HeadgateError, match=r"is declared, by sweeps, without analysis\.py"):
        load(str(folder))
    with pytest.raises(HeadgateError, match=r"nor a folder with a study\.toml"):
        load("nothing")


BASE = {
    "duration": "2 s",
    "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms"},
    "traffic": [{"kind": "flows", "cca": "reno"}],
}


def test_keys_follow_from_the_factors() -> None:
    made = Experiment(
        BASE,
        {"traffic.0.count": [1, 4], "network.rtt": ["20 ms", "40 ms"]},
        derived={"network.buffer": "printf('%.3f BDP', 0.5 / sqrt(count))"},
    )
    scenarios = [one.scenario.to_dict() for one in made.definition.conditions]
    assert [d["network"]["buffer"] for d in scenarios] == [
        {1: "0.5 BDP", 4: "0.25 BDP"}[d["traffic"][0].get("count", 1)] for d in scenarios
    ]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"network.buffer": "no_factor"}, "derived.network.buffer: .*its names are count"),
        ({"network.buffer": "avg(count)"}, "does not give one value for each condition"),
        ({"network.colour": "count"}, "colour"),
    ],
)
def test_a_key_that_follows_from_nothing_is_one_sentence(keys: dict[str, str], said: str) -> None:
    with pytest.raises(HeadgateError, match=said):
        Experiment(BASE, {"traffic.0.count": [1, 4]}, derived=keys).check()


@pytest.mark.parametrize(
    ("levels", "places", "angle"),
    [
        (["1 BDP", "1.5 BDP", "2 BDP", "9 BDP"], [1.0, 1.5, 2.0, 9.0], 45.0),
        (["1 BDP", "3 BDP", "9 BDP"], [1.0, 3.0, 9.0], 0.0),
    ],
)
def test_labels_of_levels_do_not_run_into_each_other(
    levels: list[str], places: list[float], angle: float
) -> None:
    lines = {"one": [(1.0, 0.9, 1.1)] * len(levels)}
    figure = draw_interaction(
        [InteractionPanel("", lines)], FactorAxis("buffer", levels, places), "used"
    )
    assert {label.get_rotation() for label in figure.axes[0].get_xticklabels()} == {angle}
    figure.canvas.draw()
    boxes = [label.get_tightbbox() for label in figure.axes[0].get_xticklabels()]
    assert angle or not any(a.overlaps(b) for a, b in pairwise(boxes))
