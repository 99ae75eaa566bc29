"""Tuning: weights and tables of evaluations, found by games."""
