"""Experiments 2a to 2c: downloads and variants of a design."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from headgate import Scenario
from headgate.base.errors import HeadgateError
from headgate.experiment.study.study import load
from headgate.scenario.traffic.flows import Flows
from headgate_studies.mesonet import MesoNet
from headgate_studies.nist.competing import FILES, tally
from headgate_studies.nist.variants import (
    HEAVY_CORNER,
    INFINITE,
    LIGHT_CORNER,
    UNCONGESTED,
    UNCONGESTED_INFINITE,
    VARIANTS,
    WINDOW,
    corner,
    scenario,
)

STUDIES = ("nist-2a", "nist-2b", "nist-2c")


def setting(**changes: object) -> dict[str, object]:
    given: dict[str, object] = {
        "experiment": "2b",
        "size": 0.01,
        "duration": "12 s",
        "downloaders": 2,
    }
    given["long_lived_flows"] = 0
    return {**given, **changes}


def test_without_downloads_it_is_mesonet() -> None:
    made = scenario(setting(downloaders=0, variants=["uncongested"]), "fast")
    settings = {key: value for key, value in setting().items() if key != "downloaders"}
    assert made == MesoNet.from_dict({**settings, "cca": "fast"}).scenario()


def test_movies_of_both_sides_begin_together_in_the_same_places() -> None:
    movies = [one for one in scenario(setting(), "fast").traffic if isinstance(one, Flows)]
    own = [one for one in movies if one.cca and one.cca.name == "fast"]
    tcp = [one for one in movies if one.cca and one.cca.name == "reno"]
    assert len(own) == len(tcp) == 3
    for one, other in zip(own, tcp, strict=True):
        left_out = {"cca", "name"}
        assert one.model_dump(exclude=left_out) == other.model_dump(exclude=left_out)
    result = scenario(setting(duration="6 s"), "fast").run()
    _, active_s = tally(result, "fast")
    of_movies = active_s[:, FILES.index("movie")].sum(axis=0)
    assert (of_movies > 0).all()  # movies for every path, interface and side
    assert of_movies[..., 0] == pytest.approx(of_movies[..., 1], rel=0.01)


def test_variants_change_what_they_say_and_nothing_else() -> None:
    study = load("nist-2b")
    made = study.jobs(study.setup(study.scale("quick")))
    counts = {name: sum(key[3:] == (name,) for key in made) for name in VARIANTS}
    assert counts == {INFINITE: 8 * 8, WINDOW: 32, UNCONGESTED: 32, UNCONGESTED_INFINITE: 32}
    assert len(made) == 32 * 8 + sum(counts.values())
    for key, job in made.items():
        if len(key) == 4:
            assert job.labels["variant"] == key[3]
            beside = made[key[:3]].scenario
            assert changes(beside, job.scenario) == CHANGED[str(key[3])]
            assert job.scenario.traffic == beside.traffic
            assert job.scenario.seed == beside.seed
    design = study.setup(study.scale("quick")).design
    corners = [corner(design, levels) for levels in (LIGHT_CORNER, HEAVY_CORNER)]
    assert [len(names) for names in corners] == [4, 4]
    assert all("X1+" in name and "X7+" in name for name in corners[0])


CHANGED: Mapping[str, Mapping[str, object]] = {
    INFINITE: {"transport.initial_ssthresh": "infinite"},
    WINDOW: {"transport.receive_window": "64 packets"},
    UNCONGESTED: {"measure.warmup": "0 s", "network.rate": "38.4 Gbit/s"},
    UNCONGESTED_INFINITE: {
        "measure.warmup": "0 s",
        "network.rate": "38.4 Gbit/s",
        "transport.initial_ssthresh": "infinite",
    },
}


def changes(one: Scenario, other: Scenario) -> dict[str, object]:
    """Return the keys of the second level that differ, as the other has them."""
    before, after = one.to_dict(resolved=True), other.to_dict(resolved=True)
    return {
        f"{table}.{key}": after[table][key]
        for table in ("network", "transport", "measure")
        for key in after[table]
        if before[table].get(key) != after[table][key]
    }


def test_an_unknown_variant_is_a_sentence() -> None:
    study = load("nist-2a")
    setup = study.setup(study.scale("quick"))
    wrong = replace(setup, settings={**setup.settings, "variants": ["slow"]})
    with pytest.raises(HeadgateError, match=r"variants: 'slow' is none; there are 'infinite ssth"):
        study.jobs(wrong)


@pytest.mark.parametrize("name", STUDIES)
def test_every_setting_has_a_source_and_every_claim_a_finding(name: str) -> None:
    study = load(name)
    setup = study.setup(study.scale("quick"))
    settings = {*setup.settings, *setup.design.settings(0)}
    assert settings == set(study.spec.sources)
    assert len(study.jobs(setup)) == (416 if name == "nist-2b" else 288)
    for claim in study.claims:
        assert claim.missing or claim.call
