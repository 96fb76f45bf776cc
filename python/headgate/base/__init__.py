"""What everything else is built on: text, units, errors, files, and what the engine has."""
