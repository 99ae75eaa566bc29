"""Benchmarks: node rates, and the signature of the searches."""
