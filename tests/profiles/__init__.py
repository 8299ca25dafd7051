"""Tests of tfprof.profiles."""
