"""Tables: their columns, derived values, storage and export."""
