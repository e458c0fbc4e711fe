"""Peers that need an environment of their own; run by ``make bench-peers``."""
