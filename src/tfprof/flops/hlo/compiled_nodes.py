"""Which nodes are instructions of compiled programs."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from tfprof.loaders.hlo import ATTRIBUTE
from tfprof.loaders.wire import parent_indices
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray


def compiled_nodes(profile: Profile) -> BoolArray:
    """Which nodes are instructions of compiled programs."""
    mask = np.zeros(len(profile.nodes), bool)
    attrs = profile.nodes.attrs
    is_hlo = pc.equal(attrs.flatten().field("key"), ATTRIBUTE).to_numpy(zero_copy_only=False)
    mask[parent_indices(attrs)[is_hlo]] = True
    return mask
