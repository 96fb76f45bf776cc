"""The sensitivity analysis of the NIST study: which of twenty parameters matter, and how far."""
