"""Ratings: a match of two players, the joint fit of many, and how often players err."""
