"""Study `senders`: every law alone, under random loss, together, and at the start."""
