"""Projections of codes to phi: one lookup table per feature."""
