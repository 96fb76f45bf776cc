"""From what the engine counted to the responses of an experiment."""
