"""The findings of a study's claims in synthetic runs, or in runs that a test prepares."""

from collections.abc import Mapping
from typing import Any

from headgate.claims.verdicts import Estimate, JudgedClaim, judge
from headgate.experiment.study.coded import Coded
from headgate.experiment.study.study import load


def findings_of(name: str, ready: Any) -> dict[str, Estimate]:
    """Return the findings of a study's claims; `ready` is what its `prepare` gives."""
    study = load(name)
    return Coded(study.package, study.folder, {}, study.claims).find(ready)


def judge_numbers(name: str, findings: Mapping[str, Estimate]) -> dict[str, JudgedClaim]:
    """Judge a study's claims by numbers alone: a test's few runs have wide intervals."""
    bare = {claim: found.model_copy(update={"ci": None}) for claim, found in findings.items()}
    return {claim.id: judge(claim, bare, "quick") for claim in load(name).claims}
