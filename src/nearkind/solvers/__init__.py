"""Minimisers of an objective over positive semi-definite metrics."""
