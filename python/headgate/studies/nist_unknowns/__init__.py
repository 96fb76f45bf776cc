"""The study `nist-unknowns`: which findings hang on what is not published."""
