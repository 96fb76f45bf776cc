"""Runs: the engine, emulation with real programs, fluid models, captures and traces."""
