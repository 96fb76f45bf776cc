"""Interactions that a design cannot separate from each other: they are tested together.

In a fraction of a design, such as half of all combinations of two levels, the columns of one
interaction may equal those of another. Then neither can be tested alone, but their sum can.
"""

from __future__ import annotations

import numpy as np

from headgate.stats.design_columns import Design, Factors, orthonormalize, project_out
from headgate.stats.intervals import Numbers

#: Interactions are not orthogonal if a cosine of their columns exceeds this.
ORTHOGONAL = 1e-6

Group = tuple[Factors, ...]


def find_alias_groups(design: Design) -> dict[Group, Numbers]:
    """Return groups of interactions that only a joint test shows, with the columns it tests.

    The columns are orthonormal coordinates in the basis of the design: the part of the group
    outside the span of all other terms. Every interaction of a group loses columns to the others.
    """
    own = _find_lost(design)
    return {
        group: columns
        for group in _connect(own)
        if (columns := design.find_increment(group)).shape[1]
    }


def _find_lost(design: Design) -> dict[Factors, Numbers]:
    """Return the interactions that lose columns to other interactions, without the main effects."""
    pairs = [term for term in design.columns if len(term) > 1 and not design.is_testable(term)]
    if not pairs:
        return {}
    mains = design.find_span([term for term in design.columns if len(term) == 1])
    found = {}
    for term in pairs:
        columns = design.find_coordinates(term)
        left = orthonormalize(project_out(columns, mains), np.linalg.norm(columns, axis=0))
        if left.shape[1] > design.increments[term].shape[1]:
            found[term] = left
    return found


def _connect(own: dict[Factors, Numbers]) -> list[Group]:
    """Return the groups of terms that overlap, directly or through others."""
    group = {term: {term} for term in own}
    terms = list(own)
    for at, one in enumerate(terms):
        for other in terms[at + 1 :]:
            overlaps = np.abs(own[one].T @ own[other]).max(initial=0.0) > ORTHOGONAL
            if overlaps and group[one] is not group[other]:
                group[one] |= group[other]
                for term in group[other]:
                    group[term] = group[one]
    unique = {id(members): members for members in group.values()}
    return [tuple(term for term in terms if term in members) for members in unique.values()]
