"""What the vendor's compiler reported of a build: read from its files, laid over what was inferred."""
