"""The analyses: each a function from a tidy table to numbers and a picture.

A table has one row a run: labels (a condition, a law, a period), factors and responses. It may come
from Headgate or from anywhere else: a CSV or Parquet file, a data frame, a mapping of columns.
"""

from __future__ import annotations

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.bars import Bars, bars
from headgate.figures.analysis.biplots import Biplots, biplots
from headgate.figures.analysis.clusters import Clusters, clusters
from headgate.figures.analysis.components import Components, components
from headgate.figures.analysis.conditions import ConditionResponses, condition_responses
from headgate.figures.analysis.correlations import Correlations, correlations
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.grid import Grid, grid
from headgate.figures.analysis.influence import Influence, influence
from headgate.figures.analysis.main_effects import MainEffects, main_effects
from headgate.figures.analysis.ranks import Ranks, ranks
from headgate.figures.analysis.roles import Pair, Roles
from headgate.figures.analysis.ten_steps import TenSteps, ten_steps
from headgate.figures.analysis.whole import Whole, whole

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
