"""Traces that are made by hand."""

from __future__ import annotations

from pathlib import Path

from tfprof.protos.xplane_pb2 import XLine, XPlane, XSpace


class Maker:
    """Builds the host plane of a trace."""

    def __init__(self) -> None:
        self.space = XSpace(hostnames=["host"])
        self.plane: XPlane = self.space.planes.add(name="/host:CPU")
        environment = self.space.planes.add(name="Task Environment")
        environment.stat_metadata[1].name = "profile_start_time"
        environment.stats.add(metadata_id=1, uint64_value=10**18)
        for number, name in enumerate(("id", "step_num"), 1):
            self.plane.stat_metadata[number].name = name
        self._names: dict[str, int] = {}

    def line(self, name: str) -> XLine:
        line: XLine = self.plane.lines.add(name=name, timestamp_ns=1000)
        return line

    def event(self, line: XLine, name: str, first: float, last: float, **stats: int) -> None:
        """An event from `first` to `last`, in microseconds."""
        number = self._names.setdefault(name, len(self._names) + 1)
        self.plane.event_metadata[number].name = name
        event = line.events.add(
            metadata_id=number, offset_ps=int(first * 1e6), duration_ps=int((last - first) * 1e6)
        )
        for key, value in stats.items():
            event.stats.add(metadata_id=1 if key == "id" else 2, int64_value=value)

    def write(self, folder: Path, run: str = "run", host: str = "host") -> Path:
        file = folder / "plugins" / "profile" / run / f"{host}.xplane.pb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self.space.SerializeToString())
        return file


def made() -> Maker:
    """Two runs of `train` and one of `test`, ops on another thread, one of them in another."""
    maker = Maker()
    python, worker = maker.line("python"), maker.line("tf_Compute/1")
    for run, (function, first) in enumerate(
        [("__inference_train_12", 0), ("__inference_train_12", 100), ("__inference_test_7", 200)], 7
    ):
        maker.event(python, f"EagerLocalExecute: {function}", first, first + 9)
        maker.event(python, "FunctionRun", first + 1, first + 2, id=run)
        maker.event(worker, "ExecutorState::Process", first + 10, first + 90, id=run)
        maker.event(worker, "a/call:PartitionedCall", first + 10, first + 30)
        maker.event(worker, "a/MatMul:MatMul", first + 12, first + 22)
        maker.event(worker, "b:_FusedConv2D", first + 40, first + 40.25)
        maker.event(worker, "b:_FusedConv2D", first + 50, first + 50.25)
    return maker
