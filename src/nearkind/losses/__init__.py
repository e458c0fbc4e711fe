"""Losses of constraints, and their gradients with respect to distances."""
