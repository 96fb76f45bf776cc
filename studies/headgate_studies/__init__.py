"""Studies: designed experiments with claims, each a folder with a specification and analysis."""
