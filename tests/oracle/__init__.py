"""Differential tests: the same random inputs through ours and through the real C++ tfprof."""
