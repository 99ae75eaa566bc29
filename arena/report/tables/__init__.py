"""Tables of a run: DataFrame in, DataFrame out; one noun a file. They know neither charts nor sentences.

The input frames are those of `arena.ledger.read.RunData`: a row per game, a row per move. Everything is from the
row player's view. A value that does not exist is missing (an empty cell), never an infinity.
"""
