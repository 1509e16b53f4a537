"""What the user can set: burstline.toml, editor settings, options, in-source comments."""
