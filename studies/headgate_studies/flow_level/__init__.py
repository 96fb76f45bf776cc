"""The study `flow-level`: where laws rest and how they come there, by solutions and packets."""
