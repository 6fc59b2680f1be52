"""Tables and matrices in, rankings out."""
