"""Rows of a plane kept on chip by a single work-item."""
