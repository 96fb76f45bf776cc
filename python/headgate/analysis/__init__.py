"""The analyses: each a function from a tidy table to numbers and a picture.

A table has one row a run: labels (a condition, a law, a period), factors and responses. It may come
from Headgate or from anywhere else: a CSV or Parquet file, a data frame, a mapping of columns.
"""

from __future__ import annotations

from headgate.analysis.bars import Bars, bars
from headgate.analysis.biplots import Biplots, biplots
from headgate.analysis.clusters import Clusters, clusters
from headgate.analysis.components import Components, components
from headgate.analysis.conditions import ConditionResponses, condition_responses
from headgate.analysis.correlations import Correlations, correlations
from headgate.analysis.frame import Frame
from headgate.analysis.grid import Grid, grid
from headgate.analysis.influence import Influence, influence
from headgate.analysis.main_effects import MainEffects, main_effects
from headgate.analysis.ranks import Ranks, ranks
from headgate.analysis.roles import Pair, Roles
from headgate.analysis.ten_steps import TenSteps, ten_steps
from headgate.analysis.whole import Whole, whole
from headgate.errors import AnalysisError

__all__ = [
    "AnalysisError",
    "Bars",
    "Biplots",
    "Clusters",
    "Components",
    "ConditionResponses",
    "Correlations",
    "Frame",
    "Grid",
    "Influence",
    "MainEffects",
    "Pair",
    "Ranks",
    "Roles",
    "TenSteps",
    "Whole",
    "bars",
    "biplots",
    "clusters",
    "components",
    "condition_responses",
    "correlations",
    "grid",
    "influence",
    "main_effects",
    "ranks",
    "ten_steps",
    "whole",
]
