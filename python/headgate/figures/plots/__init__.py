"""Plots: tables to figures."""

from headgate.figures.plots.run import draw_run

__all__ = ["draw_run"]
