"""Traces of runs: read, and written as captures (pcapng), as qlog, as CSV."""
