"""Columns to bytes: rows of text and JSON, encoded a column at a time."""
