"""Stores of many workers and steps, made from really traced steps, and what fleet commands take.

cluster    traces steps of a small TensorFlow cluster with two parameter servers
generate   many workers and steps from them, with culprits to be found
measure    ingest and questions at a given size; figures of docs/performance.md
"""
