"""MesoNet as the base of an experiment's file: X1 to X20 under their keys, with two levels each."""

from collections.abc import Mapping, Sequence
from typing import Any

from headgate import ScenarioError
from headgate.forms import BaseParameter, ExperimentBase
from headgate_studies.mesonet.model import STANDARD, MesoNet
from headgate_studies.mesonet.parameters import PARAMETERS


def deploy(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the keys for a mix of one algorithm with standard TCP, given as parts with shares."""
    others = [part for part in parts if part["cca"] != STANDARD]
    if len(parts) != 2 or len(others) != 1:
        raise ScenarioError(
            "cca", f"MesoNet mixes one algorithm with {STANDARD} only; write before = '{STANDARD}'"
        )
    return {"cca": others[0]["cca"], "standard_share": round(1 - others[0]["share"], 12)}


BASE = ExperimentBase(
    MesoNet,
    "MesoNet",
    tuple(
        BaseParameter(one.key, one.label, one.name, one.minus, one.plus, one.source)
        for one in PARAMETERS
    ),
    deploy,
)
