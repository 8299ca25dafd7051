"""Ours beside the original: made-up models of any size, and what both take for them."""
