"""Experiments: what is run, run and reported, shipped studies and one's own alike."""
