"""The study `nist-scale`: what a small network preserves of a large one."""
