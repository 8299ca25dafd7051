"""What everything else derives from: one row per metric, option and quirk, units and limits.

    metrics          METRICS, one row each: title, unit, legend, source, minimum, pprof comment
    options          OPTIONS, the fields of the frozen `Options` record
    option_builder   ProfileOptionBuilder: options as the original's programs make them
    quirks           every deviation of the original, one switch each
    units            numbers as text
    integers         limits of integers of 32 and 64 bits
    limits           bounds that protect memory
    lookup           the nearest name, and dicts that suggest it
    data_frames      pandas, if it is there

`profiles` and everything above may import it.
"""
