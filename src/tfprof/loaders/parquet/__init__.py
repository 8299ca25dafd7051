"""Folders of Parquet tables to profiles."""
