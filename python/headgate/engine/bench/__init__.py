"""The bench: how fast the engine is, on four networks."""
