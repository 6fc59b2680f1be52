"""What a reader wants to know first: the answer in four sentences, and what to know before trusting it."""
