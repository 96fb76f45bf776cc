"""Studies: designed experiments with claims, which installed packages or folders declare."""
