"""Timelines in the trace event format."""
