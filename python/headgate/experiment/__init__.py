"""Experiments and studies: definition, runs, analysis and report."""
