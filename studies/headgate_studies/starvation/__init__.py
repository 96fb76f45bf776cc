"""Jitter that is not congestion, against the delay range in which each algorithm settles."""
