"""Rollups of all workers of a job in one file each, so that a question opens four files.

The histogram is summed over workers; the others have a row for each worker and step.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tfprof.fleet.chunks import ROW_GROUP, stored_schema, table_writer, write_table
from tfprof.fleet.rollups import merge_histograms
from tfprof.fleet.store import ROLLUPS, JobWriter, merged_path
from tfprof.outputs.files import replace_file

_BATCH = 64
"""Histograms that are read before they are summed."""


def merge_rollups(writer: JobWriter, job: str) -> None:
    """Merge the rollups of chunks that were added since the last merge."""
    before, chunks = writer.manifest.merged, writer.manifest.chunks
    if before == len(chunks):
        return
    for table in ROLLUPS:
        paths = [writer.folder / merged_path(table, before)] if before else []
        paths += [writer.folder / chunk.path(table) for chunk in chunks[before:]]
        with replace_file(writer.folder / merged_path(table, len(chunks))) as stream:
            if table == "histogram":
                write_table(_sum_histograms(paths, job), stream)
                continue
            schema = stored_schema(pq.read_schema(paths[0]))
            with table_writer(schema, stream) as target:
                for i in range(0, len(paths), _BATCH):
                    target.write_table(_read(paths[i : i + _BATCH]), row_group_size=ROW_GROUP)
    writer.add_merge(len(chunks))
    # A reader that has read the manifest before may still open the last files.
    writer.remove_unused(keep=before)


def _read(paths: list[Path]) -> pa.Table:
    return pa.concat_tables([pq.ParquetFile(path).read() for path in paths])


def _sum_histograms(paths: list[Path], job: str) -> pa.Table:
    columns = ["node", "device", "bucket", "count", "micros", "bytes"]
    total: list[pa.Table] = []
    for i in range(0, len(paths), _BATCH):
        tables = [pq.ParquetFile(path).read(columns=columns) for path in paths[i : i + _BATCH]]
        total = [merge_histograms(pa.concat_tables([*total, *tables]))]
    return total[0].add_column(0, "job", pa.array([job] * len(total[0]), pa.string()))
