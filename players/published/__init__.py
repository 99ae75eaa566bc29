"""Published programs as players."""
