"""Solvers that minimise an objective over positive semi-definite metrics."""
