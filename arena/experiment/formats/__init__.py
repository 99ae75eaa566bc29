"""Tournament formats: who meets whom, in one file a format."""
