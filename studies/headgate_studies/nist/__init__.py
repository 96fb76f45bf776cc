"""What the studies after NIST's sensitivity analysis and experiments 1a to 2c share."""
