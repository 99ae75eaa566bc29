"""Benchmarks: node rates."""
