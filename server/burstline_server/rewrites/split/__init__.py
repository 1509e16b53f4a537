"""The feed-forward split: kernels that load, kernels that compute and store, channels between them (FFD, 3)."""
