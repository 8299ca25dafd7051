"""Names of the outputs of op types that have more than one named output.

Function bodies refer to an output as `node:name:index`; this table turns that into a flat position.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tfprof.protos.graph_pb2 import AttrValue


def flat_output(op: str, attrs: Mapping[str, AttrValue], name: str, index: int) -> int:
    """The position among all outputs of the one called `name:index`.

    An op type that is not in the table has a single (possibly repeated) output.
    """
    position = index
    for arg, repeat in _table().get(op, ()):
        if arg == name:
            return position
        position += _repeats(attrs, repeat) if repeat else 1
    return index


def _repeats(attrs: Mapping[str, AttrValue], name: str) -> int:
    """How many outputs a repeated one stands for: a number, or the length of a list of types."""
    if name not in attrs:
        return 0
    value = attrs[name]
    return value.i if value.WhichOneof("value") == "i" else len(value.list.type)


@cache
def _table() -> dict[str, tuple[tuple[str, str], ...]]:
    table: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in _OUTPUTS.replace("\n    ", " ").strip().splitlines():
        ops, _, names = line.partition(": ")
        args = tuple((name.partition("*")[0], name.partition("*")[2]) for name in names.split())
        table.update(dict.fromkeys(ops.split(), args))
    return table


# `op op: name name`; `name*attr` is repeated as often as the attribute says.
_OUTPUTS = """
AnonymousMemoryCache AnonymousRandomSeedGenerator AnonymousSeedGenerator: handle deleter
BatchNormWithGlobalNormalizationGrad: dx dm dv db dg
BatchSelfAdjointEigV2 Eig SelfAdjointEigV2: e v
BatchSvd Svd: s u v
BlockLSTMGrad BlockLSTMGradV2: x_grad cs_prev_grad h_prev_grad w_grad wci_grad wcf_grad wco_grad
    b_grad
BroadcastGradientArgs: r0 r1
CSRSparseMatrixComponents: row_ptrs col_inds values
CSRSparseMatrixToSparseTensor: indices values dense_shape
CTCBeamSearchDecoder: decoded_indices*top_paths decoded_values*top_paths decoded_shape*top_paths
    log_probability
CTCGreedyDecoder: decoded_indices decoded_values decoded_shape log_probability
CTCLoss CTCLossV2: loss gradient
CombinedNonMaxSuppression: nmsed_boxes nmsed_scores nmsed_classes valid_detections
ComputeAccidentalHits: indices ids weights
ConvertToCooTensor: row_ids col_ids gains
CudnnRNN: output output_h output_c reserve_space
CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3: input_backprop input_h_backprop
    input_c_backprop params_backprop
CudnnRNNParamsToCanonical: weights*num_params biases*num_params
CudnnRNNParamsToCanonicalV2: weights*num_params_weights biases*num_params_biases
CudnnRNNV2 CudnnRNNV3: output output_h output_c reserve_space host_reserved
CustomAggregator: output min max histogram
DecodeProtoV2: sizes values*output_types
DecodeWav: audio sample_rate
DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation: result_indices
    result_values result_shape
FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient: backprops_wrt_input
    backprop_wrt_min backprop_wrt_max
FractionalAvgPool FractionalMaxPool: output row_pooling_sequence col_pooling_sequence
FusedBatchNorm FusedBatchNormV2 _MklNativeFusedBatchNorm _MklNativeFusedBatchNormV2: y batch_mean
    batch_variance reserve_space_1 reserve_space_2
FusedBatchNormGrad FusedBatchNormGradV2 _MklNativeFusedBatchNormGrad
    _MklNativeFusedBatchNormGradV2: x_backprop scale_backprop offset_backprop reserve_space_3
    reserve_space_4
FusedBatchNormGradV3 _MklNativeFusedBatchNormGradV3: x_backprop scale_backprop offset_backprop
    reserve_space_4 reserve_space_5
GRUBlockCell: r u c h
GRUBlockCellGrad: d_x d_h_prev d_c_bar d_r_bar_u_bar
GenerateBoundingBoxProposals: rois roi_probabilities
GenerateVocabRemapping: remapping num_present
IsotonicRegression: output segments
BlockLSTM BlockLSTMV2 LSTMBlockCell: i cs f o ci co h
LSTMBlockCellGrad: cs_prev_grad dicfo wci_grad wcf_grad wco_grad
AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler
    LogUniformCandidateSampler ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler:
    sampled_candidates true_expected_count sampled_expected_count
ListDiff: out idx
LogMatrixDeterminant: sign log_abs_determinant
Lu: lu p
MapUnstageNoKey OrderedMapUnstageNoKey: key values*dtypes
MaxPoolWithArgmax: output argmax
Merge RefMerge: output value_index
Namespace>TestStringOutput: output1 output2
NearestNeighbors: nearest_center_indices nearest_center_distances
NonMaxSuppressionV4: selected_indices valid_outputs
NonMaxSuppressionV5: selected_indices selected_scores valid_outputs
Qr: q r
QuantizeAndDequantizeV4Grad: input_backprop input_min_backprop input_max_backprop
QuantizeDownAndShrinkRange QuantizeV2 QuantizedConcat QuantizedConcatV2 QuantizedReshape
    Requantize RequantizePerChannel _MklQuantizeV2: output output_min output_max
QuantizedAdd QuantizedMul: z min_z max_z
QuantizedAvgPool QuantizedConv2D QuantizedConv2DPerChannel QuantizedConv2DWithBias
    QuantizedDepthwiseConv2D QuantizedDepthwiseConv2DWithBias QuantizedMaxPool: output min_output
    max_output
QuantizedBatchNormWithGlobalNormalization: result result_min result_max
QuantizedBiasAdd: output min_out max_out
QuantizedInstanceNorm: y y_min y_max
QuantizedMatMul QuantizedMatMulWithBias: out min_out max_out
QuantizedRelu QuantizedRelu6 QuantizedReluX: activations min_activations max_activations
QuantizedResizeBilinear: resized_images out_min out_max
RaggedCross: output_values output_row_splits
RaggedFillEmptyRows: output_value_rowids output_values empty_row_indicator reverse_index_map
RaggedGather: output_nested_splits*OUTPUT_RAGGED_RANK output_dense_values
RaggedRange: rt_nested_splits rt_dense_values
RaggedTensorFromVariant: output_nested_splits*output_ragged_rank output_dense_values
RaggedTensorToSparse: sparse_indices sparse_values sparse_dense_shape
ReaderRead ReaderReadV2: key value
LookupTableExport LookupTableExportV2 ReaderReadUpTo ReaderReadUpToV2: keys values
FloatOutputStringOutput IntOutputFloatOutput RefOutputFloatOutput: a b
RefSwitch Switch: output_false output_true
RequantizationRange RequantizationRangePerChannel: output_min output_max
RpcCall: future deleter
RpcCheckStatus: error_code error
RpcClient: client method_specs
Skipgram: vocab_word vocab_freq words_per_epoch current_epoch total_words_processed examples
    labels
SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits: loss backprop
SparseAdd: sum_indices sum_values sum_shape
SparseAddGrad: a_val_grad b_val_grad
DenseCountSparseOutput RaggedCountSparseOutput SparseCountSparseOutput: output_indices
    output_values output_dense_shape
SparseConcat SparseCross SparseCrossHashed SparseCrossV2 SparseReduceMaxSparse
    SparseReduceSumSparse SparseSlice: output_indices output_values output_shape
SparseFillEmptyRows: output_indices output_values empty_row_indicator reverse_index_map
RaggedFillEmptyRowsGrad SparseFillEmptyRowsGrad: d_values d_default_value
SparseReshape: output_indices output_shape
SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2 SparseSegmentSumGradV2: output
    sorted_unique_indices
SparseReorder SparseSparseMaximum SparseSparseMinimum: output_indices output_values
SparseSplit: output_indices*num_split output_values*num_split output_shape*num_split
SplitDedupData: integer_tensor float_tensor
StatelessRandomGetKeyCounter: key counter
StatelessRandomGetKeyCounterAlg: key counter alg
SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox: begin
    size bboxes
StringNGrams: ngrams ngrams_splits
StringSplit StringSplitV2: indices values shape
TakeManySparseFromTensorsMap: sparse_indices sparse_values sparse_shape
TensorArrayConcat TensorArrayConcatV2 TensorArrayConcatV3: value lengths
TensorArrayGradV3 TensorArrayGradWithShape: grad_handle flow_out
TensorArrayV3: handle flow
TensorListConcat TensorListConcatV2: tensor lengths
TensorListPopBack: output_handle tensor
ApproxTopK TopK TopKV2: values indices
TopKUnique TopKWithUnique: topk topk_indices
UnicodeDecode: row_splits char_values
UnicodeDecodeWithOffsets: row_splits char_values char_to_byte_starts
Unique UniqueV2: y idx
UniqueWithCounts UniqueWithCountsV2: y idx count
_FusedBatchNormGradEx: x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5
    side_input_backprop*num_side_inputs
_FusedQuantizedConv2D _FusedQuantizedDepthwiseConv2D: device_outputs*Tdevice_outputs
    host_outputs*Thost_outputs
_MklAvgPool _MklAvgPool3D _MklAvgPool3DGrad _MklAvgPoolGrad _MklConcat _MklConcatV2
    _MklConv2DBackpropFilter _MklConv2DBackpropInput _MklConv3DBackpropFilterV2
    _MklConv3DBackpropInputV2 _MklDepthwiseConv2dNativeBackpropFilter
    _MklDepthwiseConv2dNativeBackpropInput _MklMaxPool3DGrad _MklMaxPoolGrad: output mkl_output
_MklConv2DBackpropFilterWithBias: output bias_grad mkl_output mkl_bias_grad
_MklEluGrad _MklLeakyReluGrad _MklRelu6Grad _MklReluGrad _MklTanhGrad: backprops mkl_backprops
_MklFusedBatchNormGrad _MklFusedBatchNormGradV2: x_backprop scale_backprop offset_backprop
    reserve_space_3 reserve_space_4 mkl_x_backprop mkl_scale_backprop mkl_offset_backprop
    mkl_reserve_space_3 mkl_reserve_space_4
_MklFusedBatchNormGradV3: x_backprop scale_backprop offset_backprop reserve_space_4
    reserve_space_5 mkl_x_backprop mkl_scale_backprop mkl_offset_backprop mkl_reserve_space_4
    mkl_reserve_space_5
_MklFusedBatchNorm _MklFusedBatchNormV2: y batch_mean batch_variance reserve_space_1
    reserve_space_2 mkl_y mkl_batch_mean mkl_batch_variance mkl_reserve_space_1
    mkl_reserve_space_2
_MklFusedBatchNormEx _MklFusedBatchNormV3: y batch_mean batch_variance reserve_space_1
    reserve_space_2 reserve_space_3 mkl_y mkl_batch_mean mkl_batch_variance mkl_reserve_space_1
    mkl_reserve_space_2 mkl_reserve_space_3
_MklConv2D _MklConv2DWithBias _MklConv3D _MklDepthwiseConv2dNative _MklFusedConv2D
    _MklFusedDepthwiseConv2dNative _MklPadWithConv2D _MklPadWithFusedConv2D: output filter_output
    mkl_output mkl_filter_output
_MklFusedMatMul: product mkl_product
_MklMaxPool _MklMaxPool3D: output workspace mkl_output mkl_workspace
_MklNativeConv2DBackpropFilterWithBias: output bias_grad
FusedBatchNormV3 _FusedBatchNormEx _MklNativeFusedBatchNormEx _MklNativeFusedBatchNormV3: y
    batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3
_MklNativeMaxPool _MklNativeMaxPool3D: output workspace
_MklElu _MklLeakyRelu _MklRelu _MklRelu6 _MklTanh: activations mkl_activations
"""
