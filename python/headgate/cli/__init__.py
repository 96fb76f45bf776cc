"""The command line. Functions import heavy libraries, so that it starts fast."""
