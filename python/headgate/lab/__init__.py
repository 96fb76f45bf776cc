"""Many runs: their store, who makes them, how far they are, what they will cost."""
