"""The results of the published size that a miniature preserves, as `nist-scale` measured them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import log
from pathlib import Path
from typing import Any

from headgate.forms import Model, read_toml
from headgate_studies.mesonet.parameters import EXPERIMENTS

#: The experiment whose sizes were measured; others are as large as this with as many sources.
MEASURED = "1b"
#: Number of responses that are named; the others are counted.
NAMED = 4


class Sorted(Model):
    """The responses that one size preserves, those that it changes, and those undecided."""

    kept: tuple[str, ...]
    moved: tuple[str, ...]
    untold: tuple[str, ...]


class Preserved(Model):
    """`preserved.toml` as `nist-scale` writes it: the responses that each size preserves."""

    largest: str
    near: float
    sizes: Mapping[str, Sorted]


@cache
def load_measured() -> Preserved:
    """Return what the `standard` scale of `nist-scale` found."""
    return read_toml(Preserved, Path(__file__).with_name("preserved.toml"))


def equivalent_size(experiment: str, size: float) -> float:
    """Return the size of the measured experiment with as many sources."""
    return size * EXPERIMENTS[experiment].sources / EXPERIMENTS[MEASURED].sources


def describe_preserved(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what a size keeps of a larger one; nothing at a size beyond those compared."""
    own, known = equivalent_size(settings["experiment"], settings["size"]), load_measured()
    if own >= Fraction(known.largest):
        return ()
    nearest = min(known.sizes, key=lambda each: abs(log(float(Fraction(each)) / own)))
    found = known.sizes[nearest]
    whole = "the published size" if known.largest == "1" else f"{known.largest} of it"
    return (
        f"Speeds and sources are {settings['size']:g} of the published ones. The study nist-scale"
        f" measured three conditions of experiment {MEASURED}, and {nearest} of the published size"
        f" is nearest to this network. There, the responses within {known.near:.0%} of those at"
        f" {whole} are {_name_first(found.kept)}; farther off under some condition are"
        f" {_name_first(found.moved)}; {len(found.untold)} are undecided by the replicates.",
    )


def _name_first(responses: Sequence[str]) -> str:
    from headgate_studies.nist_scale.sizes import NAMES

    more = len(responses) - NAMED
    named = ", ".join(NAMES[name] for name in responses[:NAMED])
    return f"{named} and {more} more" if more > 0 else named or "none"
