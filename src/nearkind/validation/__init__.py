"""Checks shared by all estimators: limits of size, threads."""
