"""Figures for papers: at the width of a column, with embedded fonts, a caption and the data."""
