"""Data types of outputs: which attribute says it, by op type."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.protos.graph_pb2 import AttrValue, DataType

_BOOL, _FLOAT = DataType.DT_BOOL, DataType.DT_FLOAT
_INT32, _INT64 = DataType.DT_INT32, DataType.DT_INT64

# Op types -> per output an attribute, or a type, or an attribute with its default.
_Spec = tuple[str | int | tuple[str, int], ...]


def _each(ops: str, *spec: str | int | tuple[str, int]) -> dict[str, _Spec]:
    return dict.fromkeys(ops.split(), spec)


_SPECS: dict[str, _Spec] = {
    **_each(
        "Less LessEqual Greater GreaterEqual Equal NotEqual ApproximateEqual LogicalAnd LogicalOr"
        " LogicalNot IsFinite IsInf IsNan All Any InTopK InTopKV2 VarIsInitializedOp LoopCond"
        " IsVariableInitialized",
        _BOOL,
    ),
    **_each("Rank TensorListLength StatelessRandomGetAlg Bucketize StringLength", _INT32),
    **_each("Shape ShapeN Size VariableShape", ("out_type", _INT32)),
    **_each("Cast", "DstT"),
    **_each("Bitcast", "type"),
    **_each("ImageProjectiveTransformV2 ImageProjectiveTransformV3", "dtype"),
    **_each("ArgMax ArgMin", ("output_type", _INT64)),
    **_each("Range", ("Tidx", _INT32)),
    **_each("Where StringToHashBucketFast LookupTableSizeV2", _INT64),
    **_each("BatchMatMulV3 RandomUniformInt", "Tout"),
    **_each("Real Imag Angle ComplexAbs", ("Tout", _FLOAT)),
    **_each("Complex", ("Tout", DataType.DT_COMPLEX64)),
    **_each("Gather GatherV2 GatherNd", "Tparams"),
    **_each("ResizeBilinear ResizeBicubic ResizeArea ScaleAndTranslate CropAndResize", _FLOAT),
    **_each("TopKV2 TopK", "T", ("index_type", _INT32)),
    **_each("MaxPoolWithArgmax", "T", ("Targmax", _INT64)),
    **_each("FusedBatchNormV2 FusedBatchNormV3 _FusedBatchNormEx", "T", "U", "U", "U", "U", "U"),
    **_each("FusedBatchNormGradV2 FusedBatchNormGradV3", "T", "U", "U", "U", "U"),
    **_each("RFFT RFFT2D RFFT3D", ("Tcomplex", DataType.DT_COMPLEX64)),
    **_each("IRFFT IRFFT2D IRFFT3D", ("Treal", _FLOAT)),
    **_each("FFT FFT2D FFT3D IFFT IFFT2D IFFT3D", ("Tcomplex", DataType.DT_COMPLEX64)),
    **_each("InvertPermutation BroadcastArgs BroadcastGradientArgs", ("T", _INT32)),
    **_each("ConcatOffset", ("shape_type", _INT32)),
    **_each("Conj", ("T", DataType.DT_COMPLEX64)),
    **_each(
        "MaxPool MaxPoolV2 MaxPoolGrad MaxPoolGradV2 MaxPool3DGrad LRN LRNGrad LeakyRelu"
        " LeakyReluGrad NextAfter",
        ("T", _FLOAT),
    ),
    **_each(
        "StatelessRandomUniform StatelessRandomUniformV2 StatelessRandomNormal"
        " StatelessRandomNormalV2 StatelessTruncatedNormal StatelessTruncatedNormalV2"
        " StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal",
        ("dtype", _FLOAT),
    ),
    **_each(
        "RandomUniform RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal", "dtype"
    ),
    **_each("StatefulUniformInt", ("dtype", _INT64)),
    **_each(
        "StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 StatefulUniformFullInt",
        ("dtype", DataType.DT_UINT64),
    ),
    **_each("StatelessRandomGetKeyCounter", DataType.DT_UINT64),
    **_each("StatelessRandomGetKeyCounterAlg", DataType.DT_UINT64, DataType.DT_UINT64, _INT32),
    **_each(
        "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel"
        " SparseMatMul",
        _FLOAT,
    ),
    **_each("CudnnRNNV2 CudnnRNNV3", "T", "T", "T", "T", DataType.DT_INT8),
    **_each(
        "AsString StringLower StringUpper StringStrip RegexReplace StaticRegexReplace"
        " EncodeBase64 DecodeBase64 StringJoin ShardedFilename Substr UnicodeTranscode"
        " UnicodeEncode",
        DataType.DT_STRING,
    ),
    **_each("StringSplit StringSplitV2", _INT64, DataType.DT_STRING, _INT64),
    **_each("StringNGrams", DataType.DT_STRING, ("Tsplits", _INT64)),
    **_each("UnicodeDecode UnicodeDecodeWithOffsets", ("Tsplits", _INT64), _INT32, _INT64),
    **_each("RegexFullMatch StaticRegexFullMatch", _BOOL),
    **_each("StringToHashBucket StringToHashBucketStrong", _INT64),
    **_each("UnicodeScript", _INT32),
    **_each("LookupTableFindV2", "Tout"),
    **_each("Unique", "T", ("out_idx", _INT32)),
    **_each("Multinomial StatelessMultinomial", ("output_dtype", _INT64)),
}
_DEFAULT: _Spec = ("T",)
_DTYPE: _Spec = ("dtype",)
_LISTS = ("Tout", "T", "output_types", "dtypes")


def output_type(op: str, attrs: Mapping[str, AttrValue], index: int) -> int:
    """The type of one output, 0 if it is not known."""
    spec = _SPECS.get(op)
    if spec is None:
        for name in _LISTS:
            if name in attrs and index < len(attrs[name].list.type):
                return int(attrs[name].list.type[index])
        spec = _DEFAULT if "T" in attrs else _DTYPE
    # Ops of one type for all outputs spell it once.
    wanted = spec[min(index, len(spec) - 1)]
    if isinstance(wanted, int):
        return wanted
    name, default = wanted if isinstance(wanted, tuple) else (wanted, 0)
    return int(attrs[name].type) if name in attrs and attrs[name].type else default
