"""Runs: preparation, execution, progress, traces and snapshots."""
