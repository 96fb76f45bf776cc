"""The study `flow-level`: equilibria of algorithms and the way there, by solutions and packets."""
