"""What every room uses: processes apart, files replaced whole, wording, numbers as text."""
