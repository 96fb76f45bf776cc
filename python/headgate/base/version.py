"""The version of the package, and that of its results."""

__version__ = "0.1.0"

#: Increases by one whenever results of a scenario change (*Changed results* in CHANGELOG.md):
#: results that were stored under another number are stale.
RESULTS = 3
