"""Hostile inputs for every reader and parser, made from real ones: `python -m fuzz`.

seeds ─mutate▶ bytes ─target▶ nothing, or a TfprofError        anything else is a failure
"""
