"""Runs kernels on made-up data, in bounds that end every run, and compares what two texts leave behind."""
