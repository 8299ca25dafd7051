"""pprof profiles."""
