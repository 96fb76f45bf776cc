"""Studies: designed experiments with claims, each a folder with a specification and analysis."""

__version__ = "0.1.0"
