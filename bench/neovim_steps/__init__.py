"""Walks through the first steps in a Neovim, and draws its screens."""
