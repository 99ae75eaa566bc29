"""Reports of a run: tables, charts, sentences, one page, all from the ledger alone."""
