"""What a paper says of a run: methods, references, and all that makes it again."""
