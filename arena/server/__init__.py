"""A player offered to other programs by the Hub protocol."""
