"""A page that shows a store in a browser, offline: one file with everything in it.

    writer      put a page together: charts, answers, and how to ask for more
    charts      step time in quantile bands, and a heat map of workers and steps
    traffic     bytes from each device to each other one
    cells       neighbours that share a row or a column, so that a page is bounded

`page.html` beside them is the page without data. It is built from `web/` by `make web` and only
ever gets data added. `open_fleet` imports `writer`.
"""
