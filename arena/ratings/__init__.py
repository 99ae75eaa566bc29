"""Ratings: a match of two players, the joint fit of many, and what one rating cannot say."""
