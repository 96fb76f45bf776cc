"""The analyses: each a function from a tidy table to numbers and a picture.

A table has one row a run: labels (a law, a period), factors and responses. It may come from
Headgate or from anywhere else.
"""

from __future__ import annotations

from headgate.analysis.frame import AnalysisError, Frame
from headgate.analysis.influence import Influence, influence
from headgate.analysis.main_effects import MainEffects, main_effects

__all__ = ["AnalysisError", "Frame", "Influence", "MainEffects", "influence", "main_effects"]
