"""Convex functions of the spectrum of M."""
