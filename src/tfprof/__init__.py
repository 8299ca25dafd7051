"""tfprof tells where a TensorFlow model's parameters, float operations, time and memory go.

    files ──loaders▶ Profile ─resolve▶ ─views▶ View ─reports▶ Report ─outputs▶ text · timeline ·
    live ─recording┘ (columns, (functions      (a tree or     (accounted,      pprof · tables ·
    programs         immutable) inlined)        list of ids)   filtered)       protobuf · json
                         │         └───flops, memory (FLOPs, live bytes)──┘
                         └──advisor▶ Advice     two Profiles ─diffs▶ Diff ─outputs▶ text · json …
    many workers and steps ─fleet▶ store ─fleet▶ answers     two Profiles, a budget ─gates▶ Verdict

Each layer imports only what stands before it: runtime, errors and protos, definitions, profiles,
loaders, functions, resolve, flops, views, memory, recording, reports, diffs, outputs, sql, fleet,
gates, advisor, api, tf_compat, cli. Front ends hold no analysis. `compat`, `model_analyzer`,
`option_builder`, `tfprof_logger` and `tfprof_log_pb2` are public names of modules further in.
"""

from __future__ import annotations

# Nothing is imported here: the command has to be up before Ctrl-C can end it without a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfprof import compat, fleet, model_analyzer, option_builder, tfprof_log_pb2, tfprof_logger
    from tfprof.api.diff import Diff, diff
    from tfprof.api.functions import advise, load, profile, write_op_log
    from tfprof.api.gate import gate
    from tfprof.api.profile import Profile
    from tfprof.api.profiler import Profiler
    from tfprof.api.report import Report
    from tfprof.api.summary import Summary
    from tfprof.definitions.option_builder import ProfileOptionBuilder
    from tfprof.definitions.options import Options
    from tfprof.errors import LoadError, OptionError, OutputError, TfprofError
    from tfprof.flops.layer_table import model
    from tfprof.flops.model_cost import Cost, cost
    from tfprof.gates.verdict import Verdict
    from tfprof.protos.log_pb2 import OpLogProto
    from tfprof.protos.output_pb2 import AdviceProto, GraphNodeProto, MultiGraphNodeProto
    from tfprof.recording.capture import Capture, capture
    from tfprof.recording.capture_pair import capture_pair
    from tfprof.recording.keras_callback import KerasCallback
    from tfprof.tf_compat.profile_context import ProfileContext

__version__ = "0.1.0"

# Where each public name lives: it is imported when it is first used, so that `tfprof --version`
# does not wait for NumPy and Arrow.
_HOME = {
    "AdviceProto": "tfprof.protos.output_pb2",
    "Capture": "tfprof.recording.capture",
    "Cost": "tfprof.flops.model_cost",
    "Diff": "tfprof.api.diff",
    "GraphNodeProto": "tfprof.protos.output_pb2",
    "KerasCallback": "tfprof.recording.keras_callback",
    "LoadError": "tfprof.errors",
    "MultiGraphNodeProto": "tfprof.protos.output_pb2",
    "OpLogProto": "tfprof.protos.log_pb2",
    "OptionError": "tfprof.errors",
    "Options": "tfprof.definitions.options",
    "OutputError": "tfprof.errors",
    "Profile": "tfprof.api.profile",
    "ProfileContext": "tfprof.tf_compat.profile_context",
    "ProfileOptionBuilder": "tfprof.definitions.option_builder",
    "Profiler": "tfprof.api.profiler",
    "Report": "tfprof.api.report",
    "Summary": "tfprof.api.summary",
    "TfprofError": "tfprof.errors",
    "Verdict": "tfprof.gates.verdict",
    "advise": "tfprof.api.functions",
    "capture": "tfprof.recording.capture",
    "capture_pair": "tfprof.recording.capture_pair",
    "compat": "tfprof",
    "cost": "tfprof.flops.model_cost",
    "diff": "tfprof.api.diff",
    "fleet": "tfprof",
    "gate": "tfprof.api.gate",
    "load": "tfprof.api.functions",
    "model": "tfprof.flops.layer_table",
    "model_analyzer": "tfprof",
    "option_builder": "tfprof",
    "profile": "tfprof.api.functions",
    "tfprof_log_pb2": "tfprof",
    "tfprof_logger": "tfprof",
    "write_op_log": "tfprof.api.functions",
}

__all__ = [
    "AdviceProto",
    "Capture",
    "Cost",
    "Diff",
    "GraphNodeProto",
    "KerasCallback",
    "LoadError",
    "MultiGraphNodeProto",
    "OpLogProto",
    "OptionError",
    "Options",
    "OutputError",
    "Profile",
    "ProfileContext",
    "ProfileOptionBuilder",
    "Profiler",
    "Report",
    "Summary",
    "TfprofError",
    "Verdict",
    "__version__",
    "advise",
    "capture",
    "capture_pair",
    "compat",
    "cost",
    "diff",
    "fleet",
    "gate",
    "load",
    "model",
    "model_analyzer",
    "option_builder",
    "profile",
    "tfprof_log_pb2",
    "tfprof_logger",
    "write_op_log",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'tfprof' has no attribute '{name}'")
    if _HOME[name] == __name__:
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
