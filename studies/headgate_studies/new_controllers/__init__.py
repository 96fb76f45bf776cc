"""Statements of the sources of Copa, PCC Vivace, LEDBAT++ and GCC."""
