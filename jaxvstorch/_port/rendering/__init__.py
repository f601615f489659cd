"""A report as text and as a web page."""
