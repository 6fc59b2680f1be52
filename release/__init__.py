"""What a release is made of and held to; every module is a step that `make` runs."""
