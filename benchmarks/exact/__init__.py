"""Measurements of the exact representations."""
