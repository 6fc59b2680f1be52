"""How sure: what can be said of scores and selections beyond their values."""
