"""Checkpoints read without TensorFlow: names, shapes and values of trained tensors, V1 and V2.

    location                       a prefix, file or folder to a checkpoint
    checkpoint                     a Checkpoint of either version
    names, keras_slots             variable names of keys, and which keys are optimizer slots
    statistics                     range, moments, zeros and NaNs of a tensor
    bundle, tensor_slices          the two versions: V2 and V1
    tensor, dtypes, strings        a tensor's description and values
    table, block, slice_key        the sorted tables that hold them
    storage                        checksums and messages

Imports point downwards.
"""

from tfprof.loaders.checkpoint.checkpoint import Checkpoint
from tfprof.loaders.checkpoint.location import open_checkpoint
from tfprof.loaders.checkpoint.names import Slot
from tfprof.loaders.checkpoint.statistics import Statistics
from tfprof.loaders.checkpoint.tensor import TensorInfo

__all__ = ["Checkpoint", "Slot", "Statistics", "TensorInfo", "open_checkpoint"]
