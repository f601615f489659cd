"""Reads results files, and makes tables and words of them: for the book and the terminal."""
