"""Tests of tfprof.definitions."""
