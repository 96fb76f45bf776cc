"""Published tests of TCP Prague and CUBIC in four disciplines, as claims."""
