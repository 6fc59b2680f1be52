"""What fits made again say: held-out accuracy, stability, and what permuted data would score."""
