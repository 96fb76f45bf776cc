"""The label of each flow's algorithm, which distinguishes TCP from QUIC in a run of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.tables import Table, Words


def label_ccas(flows: Table) -> NDArray[Any]:
    """Return the algorithm of each flow: `cubic`.

    If the flows of an algorithm use transports of several presets, the preset follows: `cubic
    (quic)` and `cubic (default)`.
    """
    ccas = flows["cca"]
    names = flows.data.get("transport")
    if not isinstance(names, Words):
        return ccas
    presets = [_preset(name) for name in names.words]
    if len(set(presets)) < 2:
        return ccas
    number = np.array([presets.index(preset) for preset in presets])[names.codes]
    labels = ccas.astype(object)
    for cca in np.unique(ccas):
        own = ccas == cca
        used = np.unique(number[own])
        for one in used if len(used) > 1 else ():
            labels[own & (number == one)] = f"{cca} ({presets[one]})"
    return labels.astype(str)


def _preset(transport: str) -> str:
    """Return the preset of a profile: further profiles of one are numbered."""
    return transport.partition("-")[0]
