"""The command line. Heavy libraries are imported where they are used, so that it starts at once."""
