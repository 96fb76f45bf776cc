"""Experiment 2b of the NIST study: mixed deployment, low initial ssthresh."""
