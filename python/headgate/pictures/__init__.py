"""What each picture of a run shows, in plain numbers: Matplotlib and Vega draw the same ones.

`headgate.plots` makes a PNG or an SVG of them, `headgate.charts` what a page draws and answers to.
"""
