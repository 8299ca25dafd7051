"""A page that shows a profile in a browser, offline: one file with everything in it.

    writer            put a page together and render it
    presets           the reports that a page has
    report_blocks     the rows and numbers of a report
    following_shares  what op view prints for a type and all types after it
    comparison_blocks what differs between two steps
    node_blocks       names, edges and source lines of nodes
    timeline_blocks   what ran when, and when devices were idle
    source_blocks     the user's source, and what each line costs
    blocks            columns as compressed blocks, each content once

`page.html` beside them is the page without data. It is built from `web/` by `make web` and only
ever gets blocks added. `outputs` imports `writer`, and so does `api`, which serves pages.
"""
