"""Outside programs as players."""
