"""Experiment 1b of the NIST study: everyone's TCP replaced, low initial ssthresh."""
