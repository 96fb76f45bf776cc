"""Figures and analyses: curves, dots, heat maps and the style that they share.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.figures import analysis
    from headgate.figures.analysis.roles import Pair, Roles
    from headgate.figures.analysis.whole import TableAnalysis, analyse_table
    from headgate.figures.plots.conditions import ConditionAxis, draw_changes
    from headgate.figures.plots.curves import Curve, CurvePanel, draw_curves
    from headgate.figures.plots.dots import Dots, draw_dots
    from headgate.figures.plots.heat import Heat, draw_heat
    from headgate.figures.plots.network import Stretch, draw_utilisation_maps
    from headgate.figures.plots.palette import GREY, LINES, ORDER
    from headgate.figures.plots.picture import draw_picture as draw_panels
    from headgate.figures.plots.stability import draw_boundaries as draw_stability_boundaries
    from headgate.figures.plots.stability import draw_stability
    from headgate.figures.plots.style import (
        DASHES,
        MARKS,
        PALE,
        draw_tiles,
        format_power_of_ten,
        make_axes,
        save_figure,
        use_style,
    )
    from headgate.figures.spec.drawing import Line, Panel
    from headgate.figures.spec.drawing import Picture as PanelPicture
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.figures.plots.stability": (
                "draw_stability_boundaries=draw_boundaries",
                "draw_stability",
            ),
            "headgate.figures.analysis": ("analysis=",),
            "headgate.figures.analysis.roles": ("Pair", "Roles"),
            "headgate.figures.analysis.whole": ("TableAnalysis", "analyse_table"),
            "headgate.figures.spec.drawing": ("Line", "Panel", "PanelPicture=Picture"),
            "headgate.figures.plots.conditions": ("ConditionAxis", "draw_changes"),
            "headgate.figures.plots.curves": (
                "Curve",
                "CurvePanel",
                "draw_curves",
            ),
            "headgate.figures.plots.dots": ("Dots", "draw_dots"),
            "headgate.figures.plots.heat": ("Heat", "draw_heat"),
            "headgate.figures.plots.network": ("Stretch", "draw_utilisation_maps"),
            "headgate.figures.plots.palette": ("GREY", "LINES", "ORDER"),
            "headgate.figures.plots.picture": ("draw_panels=draw_picture",),
            "headgate.figures.plots.style": (
                "DASHES",
                "MARKS",
                "PALE",
                "draw_tiles",
                "format_power_of_ten",
                "make_axes",
                "save_figure",
                "use_style",
            ),
        },
    )

__all__ = [
    "DASHES",
    "GREY",
    "LINES",
    "MARKS",
    "ORDER",
    "PALE",
    "ConditionAxis",
    "Curve",
    "CurvePanel",
    "Dots",
    "Heat",
    "Line",
    "Pair",
    "Panel",
    "PanelPicture",
    "Roles",
    "Stretch",
    "TableAnalysis",
    "analyse_table",
    "analysis",
    "draw_changes",
    "draw_curves",
    "draw_dots",
    "draw_heat",
    "draw_panels",
    "draw_stability",
    "draw_stability_boundaries",
    "draw_tiles",
    "draw_utilisation_maps",
    "format_power_of_ten",
    "make_axes",
    "save_figure",
    "use_style",
]
