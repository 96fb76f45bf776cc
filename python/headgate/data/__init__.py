"""Tables: their columns, what is formed from them, and how they are stored and exported."""
