"""Experiment 1a of the NIST study: everyone's TCP replaced, high initial ssthresh."""
