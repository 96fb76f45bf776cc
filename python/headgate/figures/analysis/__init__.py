"""The analyses: each a function from a tidy table to numbers and a picture.

A table holds one row a run: labels (a condition, an algorithm, a period), factors and responses. It
may come from Headgate or from anywhere else: a CSV or Parquet file, a data frame, a mapping of
columns.
"""

from __future__ import annotations

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.clusters import (
    Clusters,
    ClusterTree,
    Components,
    compute_clusters,
    compute_components,
)
from headgate.figures.analysis.conditions import (
    ConditionResponses,
    OutlierTest,
    compute_condition_responses,
)
from headgate.figures.analysis.correlations import Correlations, compute_correlations
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.grid import Grid, compute_grid
from headgate.figures.analysis.influence import (
    Influence,
    TenSteps,
    compute_influence,
    compute_ten_steps,
)
from headgate.figures.analysis.main_effects import MainEffects, compute_main_effects
from headgate.figures.analysis.pairs import (
    Bars,
    Biplots,
    Ranks,
    compute_bars,
    compute_biplots,
    compute_ranks,
)
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.roles import Pair, Roles
from headgate.figures.analysis.whole import TableAnalysis, analyse_table

__all__ = [
    "AnalysisError",
    "Bars",
    "Biplots",
    "ClusterTree",
    "Clusters",
    "Components",
    "ConditionResponses",
    "Correlations",
    "Frame",
    "Grid",
    "Influence",
    "MainEffects",
    "OutlierTest",
    "Pair",
    "PeriodAnalysis",
    "Ranks",
    "Roles",
    "TableAnalysis",
    "TenSteps",
    "analyse_table",
    "compute_bars",
    "compute_biplots",
    "compute_clusters",
    "compute_components",
    "compute_condition_responses",
    "compute_correlations",
    "compute_grid",
    "compute_influence",
    "compute_main_effects",
    "compute_ranks",
    "compute_ten_steps",
]
