"""Study `fast`: the claims of FAST's authors, and the consequences of its equation."""
