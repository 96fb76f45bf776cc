"""Runs: the engine, what it simulates live, what fluid models solve, captures, traces."""
