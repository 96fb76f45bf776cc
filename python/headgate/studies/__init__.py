"""Studies: designed experiments with claims to check, each a folder with a plan and an analysis."""
