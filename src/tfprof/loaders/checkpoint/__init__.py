"""Checkpoints read without TensorFlow: names, shapes and values of trained tensors, V1 and V2.

Imports point downwards: location ▸ checkpoint ▸ bundle, tensor_slices ▸ table ▸ block ▸ storage.
"""

from tfprof.loaders.checkpoint.checkpoint import Checkpoint
from tfprof.loaders.checkpoint.location import open_checkpoint
from tfprof.loaders.checkpoint.names import Slot
from tfprof.loaders.checkpoint.statistics import Statistics
from tfprof.loaders.checkpoint.tensor import TensorInfo

__all__ = ["Checkpoint", "Slot", "Statistics", "TensorInfo", "open_checkpoint"]
