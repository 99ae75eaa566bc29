"""PDN 3.0: games written as text, and games read from the PDN of any program."""
