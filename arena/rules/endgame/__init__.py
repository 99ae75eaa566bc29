"""Endgame tables: every ending of few pieces solved, kept on disk, and looked up inside kernels."""
