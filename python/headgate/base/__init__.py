"""Foundations of all other wings: text, units, errors, files, the catalogue of the engine."""
