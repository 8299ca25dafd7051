from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Graph(_message.Message):
    __slots__ = ("node", "library")
    NODE_FIELD_NUMBER: _ClassVar[int]
    LIBRARY_FIELD_NUMBER: _ClassVar[int]
    node: _containers.RepeatedCompositeFieldContainer[Node]
    library: bytes
    def __init__(self, node: _Optional[_Iterable[_Union[Node, _Mapping]]] = ..., library: _Optional[bytes] = ...) -> None: ...

class Node(_message.Message):
    __slots__ = ("name", "op", "input", "attr")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OP_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    ATTR_FIELD_NUMBER: _ClassVar[int]
    name: str
    op: str
    input: _containers.RepeatedScalarFieldContainer[str]
    attr: _containers.RepeatedCompositeFieldContainer[Attr]
    def __init__(self, name: _Optional[str] = ..., op: _Optional[str] = ..., input: _Optional[_Iterable[str]] = ..., attr: _Optional[_Iterable[_Union[Attr, _Mapping]]] = ...) -> None: ...

class Attr(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: bytes
    def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("step_stats",)
    STEP_STATS_FIELD_NUMBER: _ClassVar[int]
    step_stats: Steps
    def __init__(self, step_stats: _Optional[_Union[Steps, _Mapping]] = ...) -> None: ...

class Steps(_message.Message):
    __slots__ = ("dev_stats",)
    DEV_STATS_FIELD_NUMBER: _ClassVar[int]
    dev_stats: _containers.RepeatedCompositeFieldContainer[Device]
    def __init__(self, dev_stats: _Optional[_Iterable[_Union[Device, _Mapping]]] = ...) -> None: ...

class Device(_message.Message):
    __slots__ = ("device", "node_stats")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    NODE_STATS_FIELD_NUMBER: _ClassVar[int]
    device: str
    node_stats: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, device: _Optional[str] = ..., node_stats: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("node_name", "all_start_micros", "op_end_rel_micros", "memory", "output", "timeline_label", "memory_stats")
    NODE_NAME_FIELD_NUMBER: _ClassVar[int]
    ALL_START_MICROS_FIELD_NUMBER: _ClassVar[int]
    OP_END_REL_MICROS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_LABEL_FIELD_NUMBER: _ClassVar[int]
    MEMORY_STATS_FIELD_NUMBER: _ClassVar[int]
    node_name: str
    all_start_micros: int
    op_end_rel_micros: int
    memory: _containers.RepeatedCompositeFieldContainer[Allocator]
    output: _containers.RepeatedCompositeFieldContainer[Output]
    timeline_label: str
    memory_stats: MemoryStats
    def __init__(self, node_name: _Optional[str] = ..., all_start_micros: _Optional[int] = ..., op_end_rel_micros: _Optional[int] = ..., memory: _Optional[_Iterable[_Union[Allocator, _Mapping]]] = ..., output: _Optional[_Iterable[_Union[Output, _Mapping]]] = ..., timeline_label: _Optional[str] = ..., memory_stats: _Optional[_Union[MemoryStats, _Mapping]] = ...) -> None: ...

class Allocator(_message.Message):
    __slots__ = ("allocator_name", "total_bytes", "peak_bytes", "live_bytes", "allocator_bytes_in_use", "allocation_records")
    ALLOCATOR_NAME_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    PEAK_BYTES_FIELD_NUMBER: _ClassVar[int]
    LIVE_BYTES_FIELD_NUMBER: _ClassVar[int]
    ALLOCATOR_BYTES_IN_USE_FIELD_NUMBER: _ClassVar[int]
    ALLOCATION_RECORDS_FIELD_NUMBER: _ClassVar[int]
    allocator_name: str
    total_bytes: int
    peak_bytes: int
    live_bytes: int
    allocator_bytes_in_use: int
    allocation_records: _containers.RepeatedCompositeFieldContainer[Allocation]
    def __init__(self, allocator_name: _Optional[str] = ..., total_bytes: _Optional[int] = ..., peak_bytes: _Optional[int] = ..., live_bytes: _Optional[int] = ..., allocator_bytes_in_use: _Optional[int] = ..., allocation_records: _Optional[_Iterable[_Union[Allocation, _Mapping]]] = ...) -> None: ...

class Allocation(_message.Message):
    __slots__ = ("alloc_micros", "alloc_bytes")
    ALLOC_MICROS_FIELD_NUMBER: _ClassVar[int]
    ALLOC_BYTES_FIELD_NUMBER: _ClassVar[int]
    alloc_micros: int
    alloc_bytes: int
    def __init__(self, alloc_micros: _Optional[int] = ..., alloc_bytes: _Optional[int] = ...) -> None: ...

class Output(_message.Message):
    __slots__ = ("slot", "tensor_description")
    SLOT_FIELD_NUMBER: _ClassVar[int]
    TENSOR_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    slot: int
    tensor_description: Tensor
    def __init__(self, slot: _Optional[int] = ..., tensor_description: _Optional[_Union[Tensor, _Mapping]] = ...) -> None: ...

class Tensor(_message.Message):
    __slots__ = ("shape", "allocation_description")
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    ALLOCATION_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    shape: bytes
    allocation_description: Description
    def __init__(self, shape: _Optional[bytes] = ..., allocation_description: _Optional[_Union[Description, _Mapping]] = ...) -> None: ...

class Description(_message.Message):
    __slots__ = ("requested_bytes", "allocated_bytes", "ptr")
    REQUESTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    ALLOCATED_BYTES_FIELD_NUMBER: _ClassVar[int]
    PTR_FIELD_NUMBER: _ClassVar[int]
    requested_bytes: int
    allocated_bytes: int
    ptr: int
    def __init__(self, requested_bytes: _Optional[int] = ..., allocated_bytes: _Optional[int] = ..., ptr: _Optional[int] = ...) -> None: ...

class MemoryStats(_message.Message):
    __slots__ = ("temp_memory_size", "persistent_memory_size")
    TEMP_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[int]
    PERSISTENT_MEMORY_SIZE_FIELD_NUMBER: _ClassVar[int]
    temp_memory_size: int
    persistent_memory_size: int
    def __init__(self, temp_memory_size: _Optional[int] = ..., persistent_memory_size: _Optional[int] = ...) -> None: ...

class FleetRun(_message.Message):
    __slots__ = ("step_stats",)
    STEP_STATS_FIELD_NUMBER: _ClassVar[int]
    step_stats: FleetSteps
    def __init__(self, step_stats: _Optional[_Union[FleetSteps, _Mapping]] = ...) -> None: ...

class FleetSteps(_message.Message):
    __slots__ = ("dev_stats",)
    DEV_STATS_FIELD_NUMBER: _ClassVar[int]
    dev_stats: _containers.RepeatedCompositeFieldContainer[FleetDevice]
    def __init__(self, dev_stats: _Optional[_Iterable[_Union[FleetDevice, _Mapping]]] = ...) -> None: ...

class FleetDevice(_message.Message):
    __slots__ = ("device", "node_stats")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    NODE_STATS_FIELD_NUMBER: _ClassVar[int]
    device: str
    node_stats: _containers.RepeatedCompositeFieldContainer[FleetRecord]
    def __init__(self, device: _Optional[str] = ..., node_stats: _Optional[_Iterable[_Union[FleetRecord, _Mapping]]] = ...) -> None: ...

class FleetRecord(_message.Message):
    __slots__ = ("node_name", "all_start_micros", "op_end_rel_micros", "memory", "output", "timeline_label")
    NODE_NAME_FIELD_NUMBER: _ClassVar[int]
    ALL_START_MICROS_FIELD_NUMBER: _ClassVar[int]
    OP_END_REL_MICROS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_LABEL_FIELD_NUMBER: _ClassVar[int]
    node_name: str
    all_start_micros: int
    op_end_rel_micros: int
    memory: _containers.RepeatedCompositeFieldContainer[FleetAllocator]
    output: _containers.RepeatedCompositeFieldContainer[FleetOutput]
    timeline_label: str
    def __init__(self, node_name: _Optional[str] = ..., all_start_micros: _Optional[int] = ..., op_end_rel_micros: _Optional[int] = ..., memory: _Optional[_Iterable[_Union[FleetAllocator, _Mapping]]] = ..., output: _Optional[_Iterable[_Union[FleetOutput, _Mapping]]] = ..., timeline_label: _Optional[str] = ...) -> None: ...

class FleetAllocator(_message.Message):
    __slots__ = ("total_bytes", "peak_bytes")
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    PEAK_BYTES_FIELD_NUMBER: _ClassVar[int]
    total_bytes: int
    peak_bytes: int
    def __init__(self, total_bytes: _Optional[int] = ..., peak_bytes: _Optional[int] = ...) -> None: ...

class FleetOutput(_message.Message):
    __slots__ = ("tensor_description",)
    TENSOR_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    tensor_description: FleetTensor
    def __init__(self, tensor_description: _Optional[_Union[FleetTensor, _Mapping]] = ...) -> None: ...

class FleetTensor(_message.Message):
    __slots__ = ("allocation_description",)
    ALLOCATION_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    allocation_description: FleetDescription
    def __init__(self, allocation_description: _Optional[_Union[FleetDescription, _Mapping]] = ...) -> None: ...

class FleetDescription(_message.Message):
    __slots__ = ("requested_bytes", "allocated_bytes")
    REQUESTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    ALLOCATED_BYTES_FIELD_NUMBER: _ClassVar[int]
    requested_bytes: int
    allocated_bytes: int
    def __init__(self, requested_bytes: _Optional[int] = ..., allocated_bytes: _Optional[int] = ...) -> None: ...

class OpLog(_message.Message):
    __slots__ = ("log_entries", "id_to_string")
    LOG_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ID_TO_STRING_FIELD_NUMBER: _ClassVar[int]
    log_entries: _containers.RepeatedCompositeFieldContainer[Entry]
    id_to_string: _containers.RepeatedCompositeFieldContainer[Name]
    def __init__(self, log_entries: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ..., id_to_string: _Optional[_Iterable[_Union[Name, _Mapping]]] = ...) -> None: ...

class Name(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: str
    def __init__(self, key: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("name", "float_ops", "types", "code_def")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FLOAT_OPS_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    CODE_DEF_FIELD_NUMBER: _ClassVar[int]
    name: str
    float_ops: int
    types: _containers.RepeatedScalarFieldContainer[str]
    code_def: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, name: _Optional[str] = ..., float_ops: _Optional[int] = ..., types: _Optional[_Iterable[str]] = ..., code_def: _Optional[_Iterable[bytes]] = ...) -> None: ...

class RawCodes(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, code: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Codes(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: _containers.RepeatedCompositeFieldContainer[Code]
    def __init__(self, code: _Optional[_Iterable[_Union[Code, _Mapping]]] = ...) -> None: ...

class Code(_message.Message):
    __slots__ = ("traces",)
    TRACES_FIELD_NUMBER: _ClassVar[int]
    traces: _containers.RepeatedCompositeFieldContainer[Frame]
    def __init__(self, traces: _Optional[_Iterable[_Union[Frame, _Mapping]]] = ...) -> None: ...

class Frame(_message.Message):
    __slots__ = ("file", "lineno", "function", "line", "func_start_line", "file_id", "function_id", "line_id")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINENO_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNC_START_LINE_FIELD_NUMBER: _ClassVar[int]
    FILE_ID_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_ID_FIELD_NUMBER: _ClassVar[int]
    LINE_ID_FIELD_NUMBER: _ClassVar[int]
    file: str
    lineno: int
    function: str
    line: str
    func_start_line: int
    file_id: int
    function_id: int
    line_id: int
    def __init__(self, file: _Optional[str] = ..., lineno: _Optional[int] = ..., function: _Optional[str] = ..., line: _Optional[str] = ..., func_start_line: _Optional[int] = ..., file_id: _Optional[int] = ..., function_id: _Optional[int] = ..., line_id: _Optional[int] = ...) -> None: ...

class Profile(_message.Message):
    __slots__ = ("nodes", "has_trace", "steps", "id_to_string", "miss_accelerator_stream")
    NODES_FIELD_NUMBER: _ClassVar[int]
    HAS_TRACE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    ID_TO_STRING_FIELD_NUMBER: _ClassVar[int]
    MISS_ACCELERATOR_STREAM_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[NodeEntry]
    has_trace: bool
    steps: _containers.RepeatedScalarFieldContainer[int]
    id_to_string: _containers.RepeatedCompositeFieldContainer[Name]
    miss_accelerator_stream: bool
    def __init__(self, nodes: _Optional[_Iterable[_Union[NodeEntry, _Mapping]]] = ..., has_trace: _Optional[bool] = ..., steps: _Optional[_Iterable[int]] = ..., id_to_string: _Optional[_Iterable[_Union[Name, _Mapping]]] = ..., miss_accelerator_stream: _Optional[bool] = ...) -> None: ...

class NodeEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: ProfileNode
    def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[ProfileNode, _Mapping]] = ...) -> None: ...

class ProfileNode(_message.Message):
    __slots__ = ("name", "inputs", "shape", "op_types", "canonical_device", "host_device", "float_ops", "op", "trace", "attrs", "execs", "id", "src_output_index", "output_shapes", "input_outputs")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    OP_TYPES_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_DEVICE_FIELD_NUMBER: _ClassVar[int]
    HOST_DEVICE_FIELD_NUMBER: _ClassVar[int]
    FLOAT_OPS_FIELD_NUMBER: _ClassVar[int]
    OP_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    ATTRS_FIELD_NUMBER: _ClassVar[int]
    EXECS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    SRC_OUTPUT_INDEX_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SHAPES_FIELD_NUMBER: _ClassVar[int]
    INPUT_OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    inputs: _containers.RepeatedCompositeFieldContainer[Input]
    shape: _containers.RepeatedScalarFieldContainer[int]
    op_types: _containers.RepeatedScalarFieldContainer[str]
    canonical_device: str
    host_device: str
    float_ops: int
    op: str
    trace: Code
    attrs: _containers.RepeatedCompositeFieldContainer[Attr]
    execs: _containers.RepeatedCompositeFieldContainer[ExecEntry]
    id: int
    src_output_index: _containers.RepeatedCompositeFieldContainer[SourceIndex]
    output_shapes: _containers.RepeatedCompositeFieldContainer[ShapeEntry]
    input_outputs: _containers.RepeatedCompositeFieldContainer[SlotEntry]
    def __init__(self, name: _Optional[str] = ..., inputs: _Optional[_Iterable[_Union[Input, _Mapping]]] = ..., shape: _Optional[_Iterable[int]] = ..., op_types: _Optional[_Iterable[str]] = ..., canonical_device: _Optional[str] = ..., host_device: _Optional[str] = ..., float_ops: _Optional[int] = ..., op: _Optional[str] = ..., trace: _Optional[_Union[Code, _Mapping]] = ..., attrs: _Optional[_Iterable[_Union[Attr, _Mapping]]] = ..., execs: _Optional[_Iterable[_Union[ExecEntry, _Mapping]]] = ..., id: _Optional[int] = ..., src_output_index: _Optional[_Iterable[_Union[SourceIndex, _Mapping]]] = ..., output_shapes: _Optional[_Iterable[_Union[ShapeEntry, _Mapping]]] = ..., input_outputs: _Optional[_Iterable[_Union[SlotEntry, _Mapping]]] = ...) -> None: ...

class SlotEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: int
    def __init__(self, key: _Optional[int] = ..., value: _Optional[int] = ...) -> None: ...

class Input(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: int
    def __init__(self, key: _Optional[int] = ..., value: _Optional[int] = ...) -> None: ...

class SourceIndex(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: int
    def __init__(self, key: _Optional[int] = ..., value: _Optional[int] = ...) -> None: ...

class ShapeEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: Integers
    def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Integers, _Mapping]] = ...) -> None: ...

class Integers(_message.Message):
    __slots__ = ("int64_values",)
    INT64_VALUES_FIELD_NUMBER: _ClassVar[int]
    int64_values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, int64_values: _Optional[_Iterable[int]] = ...) -> None: ...

class ExecEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: Exec
    def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Exec, _Mapping]] = ...) -> None: ...

class Exec(_message.Message):
    __slots__ = ("run_count", "all_start_micros", "latest_end_micros", "accelerator_execs", "cpu_execs", "devices", "memory_execs", "allocations")
    RUN_COUNT_FIELD_NUMBER: _ClassVar[int]
    ALL_START_MICROS_FIELD_NUMBER: _ClassVar[int]
    LATEST_END_MICROS_FIELD_NUMBER: _ClassVar[int]
    ACCELERATOR_EXECS_FIELD_NUMBER: _ClassVar[int]
    CPU_EXECS_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_EXECS_FIELD_NUMBER: _ClassVar[int]
    ALLOCATIONS_FIELD_NUMBER: _ClassVar[int]
    run_count: int
    all_start_micros: int
    latest_end_micros: int
    accelerator_execs: _containers.RepeatedCompositeFieldContainer[TimeEntry]
    cpu_execs: _containers.RepeatedCompositeFieldContainer[TimeEntry]
    devices: _containers.RepeatedScalarFieldContainer[str]
    memory_execs: _containers.RepeatedCompositeFieldContainer[Memory]
    allocations: _containers.RepeatedCompositeFieldContainer[Allocation]
    def __init__(self, run_count: _Optional[int] = ..., all_start_micros: _Optional[int] = ..., latest_end_micros: _Optional[int] = ..., accelerator_execs: _Optional[_Iterable[_Union[TimeEntry, _Mapping]]] = ..., cpu_execs: _Optional[_Iterable[_Union[TimeEntry, _Mapping]]] = ..., devices: _Optional[_Iterable[str]] = ..., memory_execs: _Optional[_Iterable[_Union[Memory, _Mapping]]] = ..., allocations: _Optional[_Iterable[_Union[Allocation, _Mapping]]] = ...) -> None: ...

class TimeEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: Times
    def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Times, _Mapping]] = ...) -> None: ...

class Times(_message.Message):
    __slots__ = ("times",)
    TIMES_FIELD_NUMBER: _ClassVar[int]
    times: _containers.RepeatedCompositeFieldContainer[Integers]
    def __init__(self, times: _Optional[_Iterable[_Union[Integers, _Mapping]]] = ...) -> None: ...

class Memory(_message.Message):
    __slots__ = ("memory_micros", "host_temp_bytes", "host_persistent_bytes", "accelerator_temp_bytes", "accelerator_persistent_bytes", "requested_bytes", "peak_bytes", "residual_bytes", "output_bytes", "allocator_bytes_in_use", "output_memory")
    MEMORY_MICROS_FIELD_NUMBER: _ClassVar[int]
    HOST_TEMP_BYTES_FIELD_NUMBER: _ClassVar[int]
    HOST_PERSISTENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    ACCELERATOR_TEMP_BYTES_FIELD_NUMBER: _ClassVar[int]
    ACCELERATOR_PERSISTENT_BYTES_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    PEAK_BYTES_FIELD_NUMBER: _ClassVar[int]
    RESIDUAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    ALLOCATOR_BYTES_IN_USE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_MEMORY_FIELD_NUMBER: _ClassVar[int]
    memory_micros: int
    host_temp_bytes: int
    host_persistent_bytes: int
    accelerator_temp_bytes: int
    accelerator_persistent_bytes: int
    requested_bytes: int
    peak_bytes: int
    residual_bytes: int
    output_bytes: int
    allocator_bytes_in_use: int
    output_memory: _containers.RepeatedCompositeFieldContainer[SlotMemory]
    def __init__(self, memory_micros: _Optional[int] = ..., host_temp_bytes: _Optional[int] = ..., host_persistent_bytes: _Optional[int] = ..., accelerator_temp_bytes: _Optional[int] = ..., accelerator_persistent_bytes: _Optional[int] = ..., requested_bytes: _Optional[int] = ..., peak_bytes: _Optional[int] = ..., residual_bytes: _Optional[int] = ..., output_bytes: _Optional[int] = ..., allocator_bytes_in_use: _Optional[int] = ..., output_memory: _Optional[_Iterable[_Union[SlotMemory, _Mapping]]] = ...) -> None: ...

class SlotMemory(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: Slot
    def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Slot, _Mapping]] = ...) -> None: ...

class Slot(_message.Message):
    __slots__ = ("bytes", "ptr")
    BYTES_FIELD_NUMBER: _ClassVar[int]
    PTR_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    ptr: int
    def __init__(self, bytes: _Optional[int] = ..., ptr: _Optional[int] = ...) -> None: ...

class Plane(_message.Message):
    __slots__ = ("name", "event_metadata", "stat_metadata", "stats")
    NAME_FIELD_NUMBER: _ClassVar[int]
    EVENT_METADATA_FIELD_NUMBER: _ClassVar[int]
    STAT_METADATA_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    name: str
    event_metadata: _containers.RepeatedCompositeFieldContainer[EventMetadataEntry]
    stat_metadata: _containers.RepeatedCompositeFieldContainer[StatMetadataEntry]
    stats: _containers.RepeatedCompositeFieldContainer[Stat]
    def __init__(self, name: _Optional[str] = ..., event_metadata: _Optional[_Iterable[_Union[EventMetadataEntry, _Mapping]]] = ..., stat_metadata: _Optional[_Iterable[_Union[StatMetadataEntry, _Mapping]]] = ..., stats: _Optional[_Iterable[_Union[Stat, _Mapping]]] = ...) -> None: ...

class EventMetadataEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: EventMetadata
    def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[EventMetadata, _Mapping]] = ...) -> None: ...

class EventMetadata(_message.Message):
    __slots__ = ("name", "stats")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    name: str
    stats: _containers.RepeatedCompositeFieldContainer[Stat]
    def __init__(self, name: _Optional[str] = ..., stats: _Optional[_Iterable[_Union[Stat, _Mapping]]] = ...) -> None: ...

class StatMetadataEntry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: int
    value: StatMetadata
    def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[StatMetadata, _Mapping]] = ...) -> None: ...

class StatMetadata(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ("id", "name", "timestamp_ns")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_NS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    timestamp_ns: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., timestamp_ns: _Optional[int] = ...) -> None: ...

class Events(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("metadata_id", "offset_ps", "duration_ps", "stats")
    METADATA_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_PS_FIELD_NUMBER: _ClassVar[int]
    DURATION_PS_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    metadata_id: int
    offset_ps: int
    duration_ps: int
    stats: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, metadata_id: _Optional[int] = ..., offset_ps: _Optional[int] = ..., duration_ps: _Optional[int] = ..., stats: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Stats(_message.Message):
    __slots__ = ("stats",)
    STATS_FIELD_NUMBER: _ClassVar[int]
    stats: _containers.RepeatedCompositeFieldContainer[Stat]
    def __init__(self, stats: _Optional[_Iterable[_Union[Stat, _Mapping]]] = ...) -> None: ...

class Stat(_message.Message):
    __slots__ = ("metadata_id", "uint64_value", "int64_value", "str_value", "bytes_value", "ref_value")
    METADATA_ID_FIELD_NUMBER: _ClassVar[int]
    UINT64_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT64_VALUE_FIELD_NUMBER: _ClassVar[int]
    STR_VALUE_FIELD_NUMBER: _ClassVar[int]
    BYTES_VALUE_FIELD_NUMBER: _ClassVar[int]
    REF_VALUE_FIELD_NUMBER: _ClassVar[int]
    metadata_id: int
    uint64_value: int
    int64_value: int
    str_value: str
    bytes_value: bytes
    ref_value: int
    def __init__(self, metadata_id: _Optional[int] = ..., uint64_value: _Optional[int] = ..., int64_value: _Optional[int] = ..., str_value: _Optional[str] = ..., bytes_value: _Optional[bytes] = ..., ref_value: _Optional[int] = ...) -> None: ...
