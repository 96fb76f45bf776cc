"""Study `senders`: every algorithm alone, under random loss, together, and at the start."""
