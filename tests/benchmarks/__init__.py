"""Benchmarks for developers of the arena, `python -m tests.benchmarks NAME`; those for users are `arena bench`."""
