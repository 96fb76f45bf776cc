"""Stored traces of runs, and their export as captures (pcapng), qlog and CSV."""
