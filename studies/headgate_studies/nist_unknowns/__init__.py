"""The study `nist-unknowns`: which findings depend on what is not published."""
