"""Whether tests notice a changed number: one constant, term or condition of the model at a time."""
