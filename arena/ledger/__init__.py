"""Storage of a run: records of games, the crash-safe store, the ledger on it, a run read back."""
