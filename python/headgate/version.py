"""The version of the package, which every result and every identity of a run names."""

__version__ = "0.1.0"
