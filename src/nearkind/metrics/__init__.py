"""Projected rows and M -> distances."""
