"""What everything else derives from: one row per metric, option and quirk, units and limits.

    metrics   METRICS, one row each: title, unit, legend, source, minimum, pprof comment
    options   OPTIONS, the fields of the frozen `Options` record
    quirks    every deviation of the original, one switch each
    units     numbers as text
    limits    bounds that protect memory

Every package may import it; it imports only `errors` and `runtime`.
"""
