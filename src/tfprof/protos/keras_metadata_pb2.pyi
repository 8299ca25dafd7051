from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KerasMetadata(_message.Message):
    __slots__ = ("nodes",)
    NODES_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[KerasObject]
    def __init__(self, nodes: _Optional[_Iterable[_Union[KerasObject, _Mapping]]] = ...) -> None: ...

class KerasObject(_message.Message):
    __slots__ = ("node_id", "node_path", "identifier", "metadata")
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_PATH_FIELD_NUMBER: _ClassVar[int]
    IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    node_id: int
    node_path: str
    identifier: str
    metadata: str
    def __init__(self, node_id: _Optional[int] = ..., node_path: _Optional[str] = ..., identifier: _Optional[str] = ..., metadata: _Optional[str] = ...) -> None: ...
