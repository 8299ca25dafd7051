"""Random nodes of text and of rows of different lengths."""

from __future__ import annotations

from typing import Any

from tests.flops.op_maker import OpMaker


def text_ops(m: OpMaker) -> None:
    texts = m.x(m.size(), dtype=m.tf.string)
    more = m.x(*m.sizes(m.size()), dtype=m.tf.string)
    m.raw.StringSplit(input=texts, delimiter=" ")
    split = m.raw.StringSplitV2(input=texts, sep=" ")
    m.raw.RegexFullMatch(input=more, pattern="a")
    m.raw.StaticRegexFullMatch(input=more, pattern="a")
    m.raw.StringToHashBucket(string_tensor=more, num_buckets=9)
    m.raw.StringToHashBucketStrong(input=more, num_buckets=9, key=[1, 2])
    m.raw.Substr(
        input=more, pos=m.tf.zeros(more.shape, m.tf.int32), len=m.tf.ones(more.shape, m.tf.int32)
    )
    m.raw.UnicodeTranscode(input=more, input_encoding="UTF-8", output_encoding="UTF-8")
    m.raw.UnicodeScript(input=m.x(*m.sizes(2), dtype=m.tf.int32))
    m.raw.UnicodeDecode(input=texts, input_encoding="UTF-8")
    m.raw.UnicodeDecodeWithOffsets(input=texts, input_encoding="UTF-8")
    m.raw.StringJoin(inputs=[more, m.tf.constant("/"), more])
    splits = m.x(m.size(2, 6), dtype=m.tf.int64)
    m.raw.StringNGrams(
        data=split.values, data_splits=splits, separator=" ", ngram_widths=[2],
        left_pad="", right_pad="", pad_width=0, preserve_short_sequences=False,
    )  # fmt: skip
    m.raw.UnicodeEncode(
        input_values=m.x(7, dtype=m.tf.int32), input_splits=splits, output_encoding="UTF-8"
    )
    m.raw.RaggedBincount(
        splits=splits,
        values=m.x(7, dtype=m.tf.int64),
        size=m.tf.constant(5, m.tf.int64),
        weights=m.x(0),
    )
    m.raw.DenseBincount(
        input=m.x(*m.sizes(m.size(1, 2)), dtype=m.tf.int32), size=m.size(), weights=m.x(0)
    )
    m.raw.Bincount(arr=m.x(7, dtype=m.tf.int32), size=m.size(), weights=m.x(0))
    _to_tensors(m, splits)


def _to_tensors(m: OpMaker, splits: Any) -> None:
    width, rest = m.size(), m.sizes(m.size(0, 2))
    values, default = m.x(9, *rest), m.tf.constant(0.0)
    ids = m.x(9, dtype=m.tf.int64)
    partitions = [
        (["ROW_SPLITS"], [splits]),
        (["FIRST_DIM_SIZE", "VALUE_ROWIDS"], [m.tf.constant(m.size(), m.tf.int64), ids]),
        (["ROW_SPLITS", "ROW_SPLITS"], [splits, m.x(5, dtype=m.tf.int64)]),
    ]
    for kinds, tensors in partitions:
        lengths = len([kind for kind in kinds if kind != "FIRST_DIM_SIZE"])
        for shape in (-1, [-1] * (lengths + 1) + rest, [m.size()] + [width] * lengths + rest):
            m.raw.RaggedTensorToTensor(
                shape=m.tf.constant(shape, m.tf.int64), values=values, default_value=default,
                row_partition_tensors=tensors, row_partition_types=kinds,
            )  # fmt: skip
