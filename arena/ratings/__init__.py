"""Ratings: a match of two players, the joint fit of many, and what one number a player cannot show."""
