"""Codes -> phi: each a lookup table a feature."""
