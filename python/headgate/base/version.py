"""The version of the package, and that of its results."""

__version__ = "0.1.0"

#: Goes up by one whenever a scenario gives other figures than before (*Changed results* in
#: CHANGELOG.md): what was stored under another number is stale.
RESULTS = 3
