"""Which variables the nodes of a model read, through the arguments of functions."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.flops.call_sites import CallSite
from tfprof.flops.variables import handle_name
from tfprof.functions.library import Ref, argument_index

HANDLES = ("VarHandleOp", "VariableV2", "Variable")
_PASSED_ON = ("Identity", "Enter", "RefEnter", "Switch", "RefSwitch")


class VariableReads:
    """Answers which variable a node reads."""

    def __init__(self, handles: Mapping[str, int]) -> None:
        self._handles = handles
        self._known: dict[tuple[int, Ref], int | None] = {}

    def of_node(self, site: CallSite, position: int) -> set[int]:
        """Positions of the variables whose values a node reads."""
        node = site.instance.body.nodes[position]
        if node.op != "ReadVariableOp" and not node.op.startswith("Resource"):
            return set()
        found = (self._variable(site, ref) for ref in site.instance.body.inputs[position])
        return {variable for variable in found if variable is not None}

    def _variable(self, site: CallSite, ref: Ref | None) -> int | None:
        """The variable that a tensor is the handle of."""
        if ref is None:
            return None
        path: dict[tuple[int, Ref], None] = {}
        variable = self._follow(site, ref, path)
        self._known.update(dict.fromkeys(path, variable))
        return variable

    def _follow(
        self, site: CallSite, ref: Ref | None, path: dict[tuple[int, Ref], None]
    ) -> int | None:
        """The variable that a tensor is the handle of, and the tensors on the way to it."""
        while ref is not None and (site.number, ref) not in path:
            if (site.number, ref) in self._known:
                return self._known[site.number, ref]
            path[site.number, ref] = None
            index = argument_index(ref)
            if index is None:
                node = site.instance.body.nodes[ref[0]]
                if node.op not in _PASSED_ON:
                    return self._handle(site, ref[0])
                inputs = site.instance.body.inputs[ref[0]]
                ref = inputs[0] if inputs else None
                continue
            if site.caller is None:
                return None
            inputs = site.caller.instance.body.inputs[site.position]
            site, location = site.caller, site.first_input + index
            ref = inputs[location] if location < len(inputs) else None
        return None

    def _handle(self, site: CallSite, position: int) -> int | None:
        node = site.instance.body.nodes[position]
        if site.caller is None and node.name in self._handles:
            return self._handles[node.name]
        if node.op not in HANDLES:
            return None
        return self._handles.get(handle_name(node))
