"""Benchmarks: node rates, time kept, and other programs."""
