"""Training: networks that learn to value positions."""
