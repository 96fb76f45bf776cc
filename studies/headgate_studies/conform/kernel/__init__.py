"""A kernel's TCP through `emulate` beside ours on the same paths: `headgate conform --kernel`."""
