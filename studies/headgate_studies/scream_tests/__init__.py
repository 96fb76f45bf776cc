"""Published tests of SCReAMv2 beside TCP Prague, as claims."""
