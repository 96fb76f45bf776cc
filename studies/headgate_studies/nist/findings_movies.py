"""Findings about movies where nothing is lost: who is at full speed first, and who gets most.

They are of the variant without congestion, in which movies of a law and of TCP begin together,
between the same routers. Only very fast paths lose nothing there: over all others the access link
is slower than a fast interface, so that slow start ends with losses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.claims import Estimate
from headgate_studies.nist.competing import PATHS, Rates
from headgate_studies.nist.mixed_estimates import (
    MOVIES,
    Numbers,
    find_worst,
    format_means,
    ratio_in_corner,
)
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.responses import INTERFACES
from headgate_studies.nist.summary import DELAY_LAWS
from headgate_studies.nist.variants import UNCONGESTED

#: The paths without a loss, and the interfaces of the source's bar graphs: at most 1 Gbit/s.
FREE_PATHS, FASTEST = PATHS[:1], INTERFACES[:1]


def movies(of: Mixed, variant: str = UNCONGESTED, interfaces: Sequence[str] = INTERFACES) -> Rates:
    """Return the throughputs of movies over paths without a loss."""
    free = of.variant(variant)
    return free.only(free.conditions, MOVIES, FREE_PATHS, interfaces)


def equal_movies(of: Mixed, *, variant: str = UNCONGESTED) -> Estimate:
    """Find the law whose movies get what is farthest from what TCP's beside them get."""
    rates = movies(of, variant)
    return _decide_by_law(rates, np.abs(rates.ahead()), most=True)


def sooner(of: Mixed) -> Estimate:
    """Find the law whose movies get least over what TCP's beside them get."""
    rates = movies(of)
    return _decide_by_law(rates, rates.ahead(), most=False)


def _decide_by_law(rates: Rates, logs: Numbers, most: bool) -> Estimate:
    laws = len(rates.laws)
    columns = zip(rates.laws, logs.T, strict=True)
    return find_worst({law: ratio_in_corner(rates, own, laws=laws) for law, own in columns}, most)


def fast_leads(of: Mixed) -> Estimate:
    """Divide the movies of FAST, and of FAST-AT, by the best of the other laws'; the lesser."""
    return _lead(of, DELAY_LAWS)


def ctcp_next(of: Mixed) -> Estimate:
    """Divide CTCP's movies by the best of the others', FAST and FAST-AT apart."""
    return _lead(of, ("ctcp",))


def _lead(of: Mixed, some: Sequence[str]) -> Estimate:
    rates = movies(of, interfaces=FASTEST)
    others = [law for law in of.laws if law not in (*DELAY_LAWS, *some)]
    own = rates.beside("own")
    best_other = own[:, [of.laws.index(law) for law in others]].max(axis=1)
    found = {
        law: ratio_in_corner(rates, own[:, of.laws.index(law)] - best_other, laws=len(some))
        for law in some
    }
    note = f"over the mean of all: {format_means(of.laws, own)}"
    return find_worst(found).model_copy(update={"note": note})
