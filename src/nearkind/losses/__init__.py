"""What a violated constraint costs, and how that pulls on distances."""
