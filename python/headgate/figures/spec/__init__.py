"""The content of each picture of a run as numbers.

`headgate.figures.plots` draws these numbers as PNG and SVG, `headgate.figures.vega` as interactive
pictures of a page.
"""
