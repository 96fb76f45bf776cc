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
    from headgate.figures.paper.save import save_paper_figures
    from headgate.figures.paper.size import PaperSize
    from headgate.figures.plots.conditions import ConditionAxis, draw_changes
    from headgate.figures.plots.curves import Curve, CurvePanel, draw_curves
    from headgate.figures.plots.dots import Dots, draw_dots
    from headgate.figures.plots.heat import Heat, draw_heat
    from headgate.figures.plots.network import Stretch, draw_utilisation_maps
    from headgate.figures.plots.palette import ORDER
    from headgate.figures.plots.picture import draw_picture as draw_panels
    from headgate.figures.plots.stability import draw_boundaries as draw_stability_boundaries
    from headgate.figures.plots.stability import draw_stability
    from headgate.figures.plots.style import (
        PALE,
        draw_tiles,
        format_power_of_ten,
        make_axes,
        save_figure,
        use_style,
    )
    from headgate.figures.spec.difference import draw_difference
    from headgate.figures.spec.drawing import Line, Panel
    from headgate.figures.spec.drawing import Picture as PanelPicture
    from headgate.figures.spec.facets import Facets
    from headgate.figures.spec.looks import (
        DASHES,
        GREY,
        LINES,
        MARKS,
        Look,
        find_looks,
        look_at,
    )
    from headgate.figures.spec.means import MeansLayout, MeasuredTable, draw_means
    from headgate.figures.spec.results import draw_results
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
            "headgate.figures.paper.save": ("save_paper_figures",),
            "headgate.figures.paper.size": ("PaperSize",),
            "headgate.figures.spec.difference": ("draw_difference",),
            "headgate.figures.spec.facets": ("Facets",),
            "headgate.figures.spec.means": ("MeansLayout", "MeasuredTable", "draw_means"),
            "headgate.figures.spec.results": ("draw_results",),
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
            "headgate.figures.plots.palette": ("ORDER",),
            "headgate.figures.spec.looks": (
                "DASHES",
                "GREY",
                "LINES",
                "MARKS",
                "Look",
                "find_looks",
                "look_at",
            ),
            "headgate.figures.plots.picture": ("draw_panels=draw_picture",),
            "headgate.figures.plots.style": (
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
    "Facets",
    "Heat",
    "Line",
    "Look",
    "MeansLayout",
    "MeasuredTable",
    "Pair",
    "Panel",
    "PanelPicture",
    "PaperSize",
    "Roles",
    "Stretch",
    "TableAnalysis",
    "analyse_table",
    "analysis",
    "draw_changes",
    "draw_curves",
    "draw_difference",
    "draw_dots",
    "draw_heat",
    "draw_means",
    "draw_panels",
    "draw_results",
    "draw_stability",
    "draw_stability_boundaries",
    "draw_tiles",
    "draw_utilisation_maps",
    "find_looks",
    "format_power_of_ten",
    "look_at",
    "make_axes",
    "save_figure",
    "save_paper_figures",
    "use_style",
]
