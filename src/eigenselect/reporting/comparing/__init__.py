"""Several methods on one table: what they predict, repeat, share and agree on."""
