"""What each picture of a run shows, in plain numbers: Matplotlib and Vega draw the same ones.

`headgate.figures.plots` makes a PNG or an SVG of them, `headgate.figures.charts` what a page draws
and answers to.
"""
