"""From bytes to a tree: preprocessing, masking of the dialect, parsing, positions."""
