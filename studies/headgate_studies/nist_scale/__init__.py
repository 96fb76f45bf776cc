"""The study `nist-scale`: the results of a large network that a small one preserves."""
