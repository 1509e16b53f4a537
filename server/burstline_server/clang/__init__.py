"""A second opinion on faults of the program, by libclang where it is installed."""
