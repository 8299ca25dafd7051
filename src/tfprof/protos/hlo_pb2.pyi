from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HloProto(_message.Message):
    __slots__ = ("hlo_module", "buffer_assignment")
    HLO_MODULE_FIELD_NUMBER: _ClassVar[int]
    BUFFER_ASSIGNMENT_FIELD_NUMBER: _ClassVar[int]
    hlo_module: HloModule
    buffer_assignment: HloBufferAssignment
    def __init__(self, hlo_module: _Optional[_Union[HloModule, _Mapping]] = ..., buffer_assignment: _Optional[_Union[HloBufferAssignment, _Mapping]] = ...) -> None: ...

class HloModule(_message.Message):
    __slots__ = ("name", "computations", "entry_computation_id", "stack_frame_index")
    NAME_FIELD_NUMBER: _ClassVar[int]
    COMPUTATIONS_FIELD_NUMBER: _ClassVar[int]
    ENTRY_COMPUTATION_ID_FIELD_NUMBER: _ClassVar[int]
    STACK_FRAME_INDEX_FIELD_NUMBER: _ClassVar[int]
    name: str
    computations: _containers.RepeatedCompositeFieldContainer[HloComputation]
    entry_computation_id: int
    stack_frame_index: HloStackFrameIndex
    def __init__(self, name: _Optional[str] = ..., computations: _Optional[_Iterable[_Union[HloComputation, _Mapping]]] = ..., entry_computation_id: _Optional[int] = ..., stack_frame_index: _Optional[_Union[HloStackFrameIndex, _Mapping]] = ...) -> None: ...

class HloComputation(_message.Message):
    __slots__ = ("name", "instructions", "id", "root_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOT_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    instructions: _containers.RepeatedCompositeFieldContainer[HloInstruction]
    id: int
    root_id: int
    def __init__(self, name: _Optional[str] = ..., instructions: _Optional[_Iterable[_Union[HloInstruction, _Mapping]]] = ..., id: _Optional[int] = ..., root_id: _Optional[int] = ...) -> None: ...

class HloInstruction(_message.Message):
    __slots__ = ("name", "opcode", "shape", "metadata", "literal", "parameter_number", "tuple_index", "dimensions", "window", "convolution_dimension_numbers", "custom_call_target", "dot_dimension_numbers", "fft_length", "id", "operand_ids", "called_computation_ids", "backend_config", "feature_group_count", "batch_group_count", "comparison_direction")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPCODE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    LITERAL_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_NUMBER_FIELD_NUMBER: _ClassVar[int]
    TUPLE_INDEX_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    CONVOLUTION_DIMENSION_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_CALL_TARGET_FIELD_NUMBER: _ClassVar[int]
    DOT_DIMENSION_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    FFT_LENGTH_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    OPERAND_IDS_FIELD_NUMBER: _ClassVar[int]
    CALLED_COMPUTATION_IDS_FIELD_NUMBER: _ClassVar[int]
    BACKEND_CONFIG_FIELD_NUMBER: _ClassVar[int]
    FEATURE_GROUP_COUNT_FIELD_NUMBER: _ClassVar[int]
    BATCH_GROUP_COUNT_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    opcode: str
    shape: HloShape
    metadata: HloMetadata
    literal: HloLiteral
    parameter_number: int
    tuple_index: int
    dimensions: _containers.RepeatedScalarFieldContainer[int]
    window: HloWindow
    convolution_dimension_numbers: HloConvolutionDimensions
    custom_call_target: str
    dot_dimension_numbers: HloDotDimensions
    fft_length: _containers.RepeatedScalarFieldContainer[int]
    id: int
    operand_ids: _containers.RepeatedScalarFieldContainer[int]
    called_computation_ids: _containers.RepeatedScalarFieldContainer[int]
    backend_config: bytes
    feature_group_count: int
    batch_group_count: int
    comparison_direction: str
    def __init__(self, name: _Optional[str] = ..., opcode: _Optional[str] = ..., shape: _Optional[_Union[HloShape, _Mapping]] = ..., metadata: _Optional[_Union[HloMetadata, _Mapping]] = ..., literal: _Optional[_Union[HloLiteral, _Mapping]] = ..., parameter_number: _Optional[int] = ..., tuple_index: _Optional[int] = ..., dimensions: _Optional[_Iterable[int]] = ..., window: _Optional[_Union[HloWindow, _Mapping]] = ..., convolution_dimension_numbers: _Optional[_Union[HloConvolutionDimensions, _Mapping]] = ..., custom_call_target: _Optional[str] = ..., dot_dimension_numbers: _Optional[_Union[HloDotDimensions, _Mapping]] = ..., fft_length: _Optional[_Iterable[int]] = ..., id: _Optional[int] = ..., operand_ids: _Optional[_Iterable[int]] = ..., called_computation_ids: _Optional[_Iterable[int]] = ..., backend_config: _Optional[bytes] = ..., feature_group_count: _Optional[int] = ..., batch_group_count: _Optional[int] = ..., comparison_direction: _Optional[str] = ...) -> None: ...

class HloShape(_message.Message):
    __slots__ = ("element_type", "dimensions", "tuple_shapes")
    ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    TUPLE_SHAPES_FIELD_NUMBER: _ClassVar[int]
    element_type: int
    dimensions: _containers.RepeatedScalarFieldContainer[int]
    tuple_shapes: _containers.RepeatedCompositeFieldContainer[HloShape]
    def __init__(self, element_type: _Optional[int] = ..., dimensions: _Optional[_Iterable[int]] = ..., tuple_shapes: _Optional[_Iterable[_Union[HloShape, _Mapping]]] = ...) -> None: ...

class HloMetadata(_message.Message):
    __slots__ = ("op_type", "op_name", "stack_frame_id")
    OP_TYPE_FIELD_NUMBER: _ClassVar[int]
    OP_NAME_FIELD_NUMBER: _ClassVar[int]
    STACK_FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    op_type: str
    op_name: str
    stack_frame_id: int
    def __init__(self, op_type: _Optional[str] = ..., op_name: _Optional[str] = ..., stack_frame_id: _Optional[int] = ...) -> None: ...

class HloLiteral(_message.Message):
    __slots__ = ("s32s", "s64s", "u32s", "u64s")
    S32S_FIELD_NUMBER: _ClassVar[int]
    S64S_FIELD_NUMBER: _ClassVar[int]
    U32S_FIELD_NUMBER: _ClassVar[int]
    U64S_FIELD_NUMBER: _ClassVar[int]
    s32s: _containers.RepeatedScalarFieldContainer[int]
    s64s: _containers.RepeatedScalarFieldContainer[int]
    u32s: _containers.RepeatedScalarFieldContainer[int]
    u64s: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, s32s: _Optional[_Iterable[int]] = ..., s64s: _Optional[_Iterable[int]] = ..., u32s: _Optional[_Iterable[int]] = ..., u64s: _Optional[_Iterable[int]] = ...) -> None: ...

class HloWindow(_message.Message):
    __slots__ = ("dimensions",)
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    dimensions: _containers.RepeatedCompositeFieldContainer[HloWindowDimension]
    def __init__(self, dimensions: _Optional[_Iterable[_Union[HloWindowDimension, _Mapping]]] = ...) -> None: ...

class HloWindowDimension(_message.Message):
    __slots__ = ("size", "stride", "padding_low", "padding_high", "window_dilation", "base_dilation")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    PADDING_LOW_FIELD_NUMBER: _ClassVar[int]
    PADDING_HIGH_FIELD_NUMBER: _ClassVar[int]
    WINDOW_DILATION_FIELD_NUMBER: _ClassVar[int]
    BASE_DILATION_FIELD_NUMBER: _ClassVar[int]
    size: int
    stride: int
    padding_low: int
    padding_high: int
    window_dilation: int
    base_dilation: int
    def __init__(self, size: _Optional[int] = ..., stride: _Optional[int] = ..., padding_low: _Optional[int] = ..., padding_high: _Optional[int] = ..., window_dilation: _Optional[int] = ..., base_dilation: _Optional[int] = ...) -> None: ...

class HloConvolutionDimensions(_message.Message):
    __slots__ = ("kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", "input_batch_dimension", "input_feature_dimension", "output_batch_dimension", "output_feature_dimension", "input_spatial_dimensions", "output_spatial_dimensions")
    KERNEL_INPUT_FEATURE_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    KERNEL_OUTPUT_FEATURE_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    KERNEL_SPATIAL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    INPUT_BATCH_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    INPUT_FEATURE_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_BATCH_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FEATURE_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SPATIAL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SPATIAL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    kernel_input_feature_dimension: int
    kernel_output_feature_dimension: int
    kernel_spatial_dimensions: _containers.RepeatedScalarFieldContainer[int]
    input_batch_dimension: int
    input_feature_dimension: int
    output_batch_dimension: int
    output_feature_dimension: int
    input_spatial_dimensions: _containers.RepeatedScalarFieldContainer[int]
    output_spatial_dimensions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, kernel_input_feature_dimension: _Optional[int] = ..., kernel_output_feature_dimension: _Optional[int] = ..., kernel_spatial_dimensions: _Optional[_Iterable[int]] = ..., input_batch_dimension: _Optional[int] = ..., input_feature_dimension: _Optional[int] = ..., output_batch_dimension: _Optional[int] = ..., output_feature_dimension: _Optional[int] = ..., input_spatial_dimensions: _Optional[_Iterable[int]] = ..., output_spatial_dimensions: _Optional[_Iterable[int]] = ...) -> None: ...

class HloDotDimensions(_message.Message):
    __slots__ = ("lhs_contracting_dimensions", "rhs_contracting_dimensions", "lhs_batch_dimensions", "rhs_batch_dimensions")
    LHS_CONTRACTING_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    RHS_CONTRACTING_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    LHS_BATCH_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    RHS_BATCH_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    lhs_contracting_dimensions: _containers.RepeatedScalarFieldContainer[int]
    rhs_contracting_dimensions: _containers.RepeatedScalarFieldContainer[int]
    lhs_batch_dimensions: _containers.RepeatedScalarFieldContainer[int]
    rhs_batch_dimensions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, lhs_contracting_dimensions: _Optional[_Iterable[int]] = ..., rhs_contracting_dimensions: _Optional[_Iterable[int]] = ..., lhs_batch_dimensions: _Optional[_Iterable[int]] = ..., rhs_batch_dimensions: _Optional[_Iterable[int]] = ...) -> None: ...

class HloStackFrameIndex(_message.Message):
    __slots__ = ("file_names", "function_names", "file_locations", "stack_frames")
    FILE_NAMES_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_NAMES_FIELD_NUMBER: _ClassVar[int]
    FILE_LOCATIONS_FIELD_NUMBER: _ClassVar[int]
    STACK_FRAMES_FIELD_NUMBER: _ClassVar[int]
    file_names: _containers.RepeatedScalarFieldContainer[str]
    function_names: _containers.RepeatedScalarFieldContainer[str]
    file_locations: _containers.RepeatedCompositeFieldContainer[HloFileLocation]
    stack_frames: _containers.RepeatedCompositeFieldContainer[HloStackFrame]
    def __init__(self, file_names: _Optional[_Iterable[str]] = ..., function_names: _Optional[_Iterable[str]] = ..., file_locations: _Optional[_Iterable[_Union[HloFileLocation, _Mapping]]] = ..., stack_frames: _Optional[_Iterable[_Union[HloStackFrame, _Mapping]]] = ...) -> None: ...

class HloFileLocation(_message.Message):
    __slots__ = ("file_name_id", "function_name_id", "line")
    FILE_NAME_ID_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_NAME_ID_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    file_name_id: int
    function_name_id: int
    line: int
    def __init__(self, file_name_id: _Optional[int] = ..., function_name_id: _Optional[int] = ..., line: _Optional[int] = ...) -> None: ...

class HloStackFrame(_message.Message):
    __slots__ = ("file_location_id", "parent_frame_id")
    FILE_LOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_FRAME_ID_FIELD_NUMBER: _ClassVar[int]
    file_location_id: int
    parent_frame_id: int
    def __init__(self, file_location_id: _Optional[int] = ..., parent_frame_id: _Optional[int] = ...) -> None: ...

class HloBufferAssignment(_message.Message):
    __slots__ = ("logical_buffers", "buffer_allocations", "heap_simulator_traces")
    LOGICAL_BUFFERS_FIELD_NUMBER: _ClassVar[int]
    BUFFER_ALLOCATIONS_FIELD_NUMBER: _ClassVar[int]
    HEAP_SIMULATOR_TRACES_FIELD_NUMBER: _ClassVar[int]
    logical_buffers: _containers.RepeatedCompositeFieldContainer[HloLogicalBuffer]
    buffer_allocations: _containers.RepeatedCompositeFieldContainer[HloBufferAllocation]
    heap_simulator_traces: _containers.RepeatedCompositeFieldContainer[HloHeapTrace]
    def __init__(self, logical_buffers: _Optional[_Iterable[_Union[HloLogicalBuffer, _Mapping]]] = ..., buffer_allocations: _Optional[_Iterable[_Union[HloBufferAllocation, _Mapping]]] = ..., heap_simulator_traces: _Optional[_Iterable[_Union[HloHeapTrace, _Mapping]]] = ...) -> None: ...

class HloLogicalBuffer(_message.Message):
    __slots__ = ("id", "size", "defined_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    DEFINED_AT_FIELD_NUMBER: _ClassVar[int]
    id: int
    size: int
    defined_at: HloBufferLocation
    def __init__(self, id: _Optional[int] = ..., size: _Optional[int] = ..., defined_at: _Optional[_Union[HloBufferLocation, _Mapping]] = ...) -> None: ...

class HloBufferLocation(_message.Message):
    __slots__ = ("instruction_name", "shape_index", "instruction_id")
    INSTRUCTION_NAME_FIELD_NUMBER: _ClassVar[int]
    SHAPE_INDEX_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_ID_FIELD_NUMBER: _ClassVar[int]
    instruction_name: str
    shape_index: _containers.RepeatedScalarFieldContainer[int]
    instruction_id: int
    def __init__(self, instruction_name: _Optional[str] = ..., shape_index: _Optional[_Iterable[int]] = ..., instruction_id: _Optional[int] = ...) -> None: ...

class HloBufferAllocation(_message.Message):
    __slots__ = ("index", "size", "is_thread_local", "is_entry_computation_parameter", "maybe_live_out", "assigned", "is_constant")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    IS_THREAD_LOCAL_FIELD_NUMBER: _ClassVar[int]
    IS_ENTRY_COMPUTATION_PARAMETER_FIELD_NUMBER: _ClassVar[int]
    MAYBE_LIVE_OUT_FIELD_NUMBER: _ClassVar[int]
    ASSIGNED_FIELD_NUMBER: _ClassVar[int]
    IS_CONSTANT_FIELD_NUMBER: _ClassVar[int]
    index: int
    size: int
    is_thread_local: bool
    is_entry_computation_parameter: bool
    maybe_live_out: bool
    assigned: _containers.RepeatedCompositeFieldContainer[HloAssignedBuffer]
    is_constant: bool
    def __init__(self, index: _Optional[int] = ..., size: _Optional[int] = ..., is_thread_local: _Optional[bool] = ..., is_entry_computation_parameter: _Optional[bool] = ..., maybe_live_out: _Optional[bool] = ..., assigned: _Optional[_Iterable[_Union[HloAssignedBuffer, _Mapping]]] = ..., is_constant: _Optional[bool] = ...) -> None: ...

class HloAssignedBuffer(_message.Message):
    __slots__ = ("logical_buffer_id", "offset", "size")
    LOGICAL_BUFFER_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    logical_buffer_id: int
    offset: int
    size: int
    def __init__(self, logical_buffer_id: _Optional[int] = ..., offset: _Optional[int] = ..., size: _Optional[int] = ...) -> None: ...

class HloHeapTrace(_message.Message):
    __slots__ = ("events", "buffer_allocation_index")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    BUFFER_ALLOCATION_INDEX_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[HloHeapEvent]
    buffer_allocation_index: int
    def __init__(self, events: _Optional[_Iterable[_Union[HloHeapEvent, _Mapping]]] = ..., buffer_allocation_index: _Optional[int] = ...) -> None: ...

class HloHeapEvent(_message.Message):
    __slots__ = ("kind", "buffer_id", "share_with_canonical_id")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ALLOC: _ClassVar[HloHeapEvent.Kind]
        FREE: _ClassVar[HloHeapEvent.Kind]
        SHARE_WITH: _ClassVar[HloHeapEvent.Kind]
    ALLOC: HloHeapEvent.Kind
    FREE: HloHeapEvent.Kind
    SHARE_WITH: HloHeapEvent.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    BUFFER_ID_FIELD_NUMBER: _ClassVar[int]
    SHARE_WITH_CANONICAL_ID_FIELD_NUMBER: _ClassVar[int]
    kind: HloHeapEvent.Kind
    buffer_id: int
    share_with_canonical_id: int
    def __init__(self, kind: _Optional[_Union[HloHeapEvent.Kind, str]] = ..., buffer_id: _Optional[int] = ..., share_with_canonical_id: _Optional[int] = ...) -> None: ...

class HloNode(_message.Message):
    __slots__ = ("instructions", "executions", "is_recomputation", "used_elements", "is_in_graph", "argument_bytes", "shape")
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    IS_RECOMPUTATION_FIELD_NUMBER: _ClassVar[int]
    USED_ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    IS_IN_GRAPH_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    instructions: _containers.RepeatedCompositeFieldContainer[HloInstruction]
    executions: int
    is_recomputation: bool
    used_elements: int
    is_in_graph: bool
    argument_bytes: int
    shape: HloShape
    def __init__(self, instructions: _Optional[_Iterable[_Union[HloInstruction, _Mapping]]] = ..., executions: _Optional[int] = ..., is_recomputation: _Optional[bool] = ..., used_elements: _Optional[int] = ..., is_in_graph: _Optional[bool] = ..., argument_bytes: _Optional[int] = ..., shape: _Optional[_Union[HloShape, _Mapping]] = ...) -> None: ...
