"""A flow and its buffer."""
