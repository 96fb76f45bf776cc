"""How runs are made, stored and resumed."""
