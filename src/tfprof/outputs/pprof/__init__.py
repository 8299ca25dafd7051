"""pprof profiles, which Google's pprof and its relatives read.

    writer      render a report as a gzipped pprof profile
    samples     its samples: stacks of source lines or scopes, with values
    tables      its tables: strings, functions, locations and samples

`outputs` imports `writer`.
"""
