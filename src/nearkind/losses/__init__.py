"""What a violated constraint costs, and the gradient of that in the distances."""
