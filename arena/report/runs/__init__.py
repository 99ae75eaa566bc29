"""Many runs together: what is listed of each, and the page that lists them."""
