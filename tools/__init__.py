"""Tools of those who develop the arena, run by hand from its top folder."""
