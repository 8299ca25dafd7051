"""Advice: each checker on profiles made for it, and all of the original's against the original."""
