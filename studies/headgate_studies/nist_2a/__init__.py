"""Experiment 2a of the NIST study: mixed deployment, high initial ssthresh."""
