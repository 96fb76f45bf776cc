"""Former names of congestion control algorithms end with a sentence that states the present one."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import headgate
from headgate.figures import Roles, analysis
from headgate.forms import fit_model
from headgate.stats import compute_residuals, find_outlier
from headgate_studies.mesonet import MesoNet

TABLE = {"cca": ["reno"], "condition": ["a"], "y": [1.0]}


@pytest.mark.parametrize(
    "function",
    [
        analysis.compute_bars,
        analysis.compute_biplots,
        analysis.compute_clusters,
        analysis.compute_components,
        analysis.compute_condition_responses,
        analysis.compute_grid,
        analysis.compute_ranks,
    ],
)
def test_a_former_keyword_names_the_present_one(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"\(\): the keyword 'law' is now 'cca'"):
        function(TABLE, ["y"], law="law")


@pytest.mark.parametrize("function", [compute_residuals, find_outlier])
def test_a_former_keyword_of_statistics_names_the_present_one(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="the keyword 'laws' is now 'ccas'"):
        function(np.zeros(3), laws=["reno", "fast", "bic"])


def test_other_keywords_are_refused_by_python() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'lawn'"):
        analysis.compute_grid(TABLE, ["y"], lawn="law")  # type: ignore[call-arg]


def test_a_former_role_names_the_present_one() -> None:
    with pytest.raises(ValidationError, match="this key is now 'cca'"):
        Roles(responses=("y",), law="law")  # type: ignore[call-arg]
    with pytest.raises(headgate.ScenarioError, match="law: this key is now 'cca'"):
        fit_model(Roles, {"responses": ["y"], "law": "law"}, "")


@pytest.mark.parametrize("key", ["law", "control"])
def test_former_keys_of_flows_name_the_present_one(key: str) -> None:
    with pytest.raises(
        headgate.ScenarioError, match=rf"traffic\[0\]\.{key}: this key is now 'cca'"
    ):
        headgate.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=[{key: "reno"}])
    with pytest.raises(headgate.ScenarioError, match=f"{key}: this key is now 'cca'"):
        MesoNet.from_dict({key: "reno"})


@pytest.mark.parametrize("key", ["law", "traffic.0.law", "traffic.0.control"])
def test_former_keys_by_path_name_the_present_one(key: str) -> None:
    scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=["reno"])
    now = key.replace("law", "cca").replace("control", "cca")
    with pytest.raises(headgate.ScenarioError, match=f"{key}: this key is now 'cca'; write {now}"):
        scenario.replaced({key: "fast"})


def test_a_former_column_names_the_present_one() -> None:
    result = headgate.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=["reno"]).run("1 s")
    with pytest.raises(headgate.HeadgateError, match="'law'; it is now 'cca'"):
        result.flows["law"]


def test_the_former_module_names_the_present_one() -> None:
    with pytest.raises(ImportError, match=r"headgate\.law is now headgate\.plugin"):
        importlib.import_module("headgate.law")


def test_a_mix_is_a_table_of_shares_or_a_list_of_parts() -> None:
    web = {"kind": "web", "users": 4, "size": "20 packets"}
    network = headgate.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=["reno"]).to_dict()
    parts = [{"cca": "cubic", "share": 0.5}, {"cca": "bbr3", "share": 0.5}]
    mixes = ({"cubic": 0.5, "bbr3": 0.5}, parts)
    one, other = (
        headgate.Scenario.from_dict({**network, "traffic": [{**web, "cca": mix}]}) for mix in mixes
    )
    assert one == other
    assert one.to_dict()["traffic"][0]["cca"] == parts
    assert [share["share"] for share in one.plan()[0]["traffic"][0]["laws"]] == [0.5, 0.5]
