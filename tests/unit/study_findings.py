"""What the claims of a study find in runs that are made up, or prepared by a test."""

from typing import Any

from headgate.claims import Estimate
from headgate.studies.coded import Coded
from headgate.studies.study import load


def findings_of(name: str, ready: Any) -> dict[str, Estimate]:
    """Return the findings of a study's claims; `ready` is what its `prepare` gives."""
    study = load(name)
    return Coded(study.folder, {}, study.claims).find(ready)
