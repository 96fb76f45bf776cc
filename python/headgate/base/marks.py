"""Marks of parameter values: how certain it is that the source of a study used the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Mark = Literal["STATED", "SECONDARY", "INFERRED", "RECALLED", "OURS"]

MEANINGS: Mapping[Mark, str] = {
    "STATED": "the source that we could read says so",
    "SECONDARY": "a third party's text or code says so, which cites what we could not read",
    "INFERRED": "follows from stated facts by arithmetic",
    "RECALLED": "remembered, read nowhere; what rests on it says so",
    "OURS": "not known to us; a documented default of Headgate, which may be set",
}
