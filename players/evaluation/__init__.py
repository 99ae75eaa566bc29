"""Evaluations: features, what is built of them, and how a configuration names one."""
