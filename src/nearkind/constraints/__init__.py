"""Constraints on distances: from labels, sampled, or given."""
