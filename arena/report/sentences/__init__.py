"""Sentences of a report: what its tables show, in plain English."""
