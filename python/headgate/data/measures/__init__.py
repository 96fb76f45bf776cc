"""Tables and responses, formed from the engine's counters."""
