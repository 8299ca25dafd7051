"""Columns to bytes: the rows of text, JSON and protobuf messages, encoded a column at a time.

    row_encoder     rows of bytes from constants and dictionary columns
    number_format   columns of numbers as text, such as `1.50k` or `3.20ms`
    json_encoder    JSON strings and integers as columns

The renderers import it. It knows columns, not reports.
"""
