"""Edits that make a kernel faster: what they need, what they change, and what they gain."""
