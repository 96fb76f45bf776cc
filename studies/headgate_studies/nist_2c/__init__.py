"""Experiment 2c of the NIST study: mixed deployment in a larger and faster network."""
