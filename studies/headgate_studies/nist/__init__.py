"""Shared code of the studies of NIST's sensitivity analysis and experiments 1a to 2c."""
