"""Published runs: kernels' text with the launch they were measured under, and how far estimates of it are off."""
