"""What is kept to be used again: a cache with a bound, and a sequence that makes its items when asked for."""
