"""What all estimators check and share: limits of size, threads."""
