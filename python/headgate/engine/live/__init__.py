"""Real programs in a simulated network, in real time; `headgate.emulate` starts a run."""
