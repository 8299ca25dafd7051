"""The deviations of the original tfprof, one named switch each.

Every field says what the original does when the switch is on. `REPAIRED` is the default: all off.
`ORIGINAL` turns all of them on and answers like TensorFlow 2.21. A switch is read at the one place
where it acts; `docs/compatibility.md` is made from this record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

__all__ = ["ORIGINAL", "REPAIRED", "Quirks", "quirks_for"]


def _quirk(defect: str, original: str, repaired: str) -> bool:
    """A switch with its number in the list of defects and both behaviours."""
    metadata = {"defect": defect, "original": original, "repaired": repaired}
    switch: bool = field(default=False, metadata=metadata)
    return switch


@dataclass(frozen=True, slots=True)
class Quirks:
    """Which of the original's deviations an answer has."""

    first_output_only: bool = _quirk(
        "N1",
        "every input shape is the producer's output 0",
        "the output that the input names",
    )
    count_per_regex: bool = _quirk(
        "N3",
        "op and code view add a node once for each account regex that matches it",
        "a node counts once",
    )
    unmatched_own_counts: bool = _quirk(
        "N4",
        "in scope view a scope that does not match adds its own numbers to every total",
        "only matching nodes count",
    )
    scopes_are_definitions: bool = _quirk(
        "N5",
        "the count of definitions includes scopes that are no nodes, and the root",
        "only real nodes are definitions",
    )
    cycles_omitted: bool = _quirk(
        "N6",
        "graph view leaves out cycles that nothing outside consumes",
        "the first node by name of each such cycle is one more root",
    )
    copies_make_nodes: bool = _quirk(
        "N7",
        "a copy record such as `edge_1_x:MEMCPYHtoD` makes a node `edge_1_x`",
        "copy records make no nodes",
    )
    negative_durations: bool = _quirk(
        "N9",
        "negative numbers are kept: averages wrap around, shares become infinite",
        "a negative duration counts as the shortest one, with a warning",
    )
    leaf_samples_only: bool = _quirk(
        "N10",
        "pprof output samples only frames without callees",
        "every frame's own nodes are sampled",
    )
    shared_string_ids: bool = _quirk(
        "N11",
        "a later op log's ids are resolved through the first one's strings",
        "every op log keeps its own strings",
    )
    string_frames_ignored: bool = _quirk(
        "N12",
        "frames that carry strings instead of ids are not understood",
        "both forms are read",
    )
    transpose_a_of_batch_matmul: bool = _quirk(
        "N13",
        "BatchMatMul float operations ignore `adj_x`; NCHW pools and gradients have none",
        "both are counted right",
    )
    advice_ranks_top_scopes: bool = _quirk(
        "N14",
        "advice lists the own time of top-level scopes, usually 0us",
        "real nodes are ranked by their own time",
    )
    fused_batch_norm_v1_only: bool = _quirk(
        "N15",
        "FusedBatchNormV2 and V3 are advised to become FusedBatchNorm",
        "every FusedBatchNorm version is recognised",
    )
    same_start_dropped: bool = _quirk(
        "N16",
        "of two timeline intervals with one start on one device the second is dropped",
        "both are drawn, in lanes of their own",
    )
    samples_without_allocator: bool = _quirk(
        "N17",
        "the timeline's memory falls to 0 at ops that have no GPU allocator record",
        "only records of a GPU allocator are samples",
    )
    uneven_top_allocations: bool = _quirk(
        "N18",
        "`Top Allocation 00` is missing from events that have no holder",
        "all ten series are in every event",
    )
    one_device_per_node: bool = _quirk(
        "N20",
        "records of a node's second device are dropped without notice",
        "every device's records count, with a warning",
    )
    cpu_and_gpu_only: bool = _quirk(
        "N21",
        "only cpu and gpu devices have time; a TPU or host device has none",
        "time on anything that is not a stream or a copy counts",
    )
    negative_steps: bool = _quirk(
        "N23",
        "a negative step id is stored and can never be selected",
        "a negative step id is an error",
    )
    wrapping_parameters: bool = _quirk(
        "N25",
        "the number of parameters wraps around at 64 bits",
        "numbers grow as large as they are",
    )
    int32_max_depth: bool = _quirk(
        "N26",
        "max_depth keeps its lowest 32 bits",
        "max_depth is what was given",
    )
    views_built_once: bool = _quirk(
        "N27",
        "nodes and traces that arrive after a view was built are missing from it",
        "a view shows all that is known",
    )
    warning_lost_on_load: bool = _quirk(
        "N28",
        "a saved profile forgets that accelerator streams were missing",
        "the warning is kept",
    )
    exact_runtime_names: bool = _quirk(
        "N29",
        "run-time shapes complete a node only under its own name and with all its outputs, "
        "so that fed tensors stay unknown",
        "`_arg_x_0_0` is output 0 of `x`, and every output that was seen counts",
    )
    captures_ignored: bool = _quirk(
        "N29",
        "variables that a function captures are no variables",
        "they are, with their shapes, and those that are trainable are `_trainable_variables`",
    )
    traces_without_text: bool = _quirk(
        "§7.5",
        "stacks of a live graph have neither the source text nor where functions begin",
        "they have both",
    )
    float_ops_from_log_only: bool = _quirk(
        "§9",
        "a graph that is read from a file has float operations only if an op log has them",
        "they are counted if no op log has any",
    )
    incomplete_shapes_reported: bool = _quirk(
        "§7.5",
        "the number of ops with incomplete shapes is told for every live graph without a run",
        "which nodes were not counted, and why, is told when float_ops is selected",
    )
    rounded_values: bool = _quirk(
        "N32",
        "values of a checkpoint are rounded to 6 significant digits",
        "the result has them in full",
    )
    loose_gradient_names: bool = _quirk(
        "N33",
        "code view takes `a_grad/gradients/y` for a gradient and leaves out gradients "
        "without a forward node",
        "`gradients/` must come first, and gradients without a forward node keep their own frames",
    )
    functions_not_inlined: bool = _quirk(
        "§modern",
        "calls, loops and branches are single nodes, whatever their functions do",
        "nodes inside functions are nodes, under the names they run by",
    )
    runtime_names_not_mapped: bool = _quirk(
        "N29",
        "a record of a name that the graph does not have makes a node of that name",
        "it belongs to the node that the runtime or an optimizer made that name from, if there is "
        "one",
    )
    graph_op_types_only: bool = _quirk(
        "§modern",
        "a node's op type is that of the graph, and its own name if only a run knows it",
        "it is what ran, such as `_FusedConv2D`; the graph's is one more type of the node",
    )
    original_metrics_only: bool = _quirk(
        "§modern",
        "`macs` is a word that nothing knows",
        "multiply-adds are a metric: half of the float operations of matrix products and "
        "convolutions",
    )
    tape_gradients_not_mapped: bool = _quirk(
        "§modern",
        "code view takes `gradient_tape/y/…` for a node like any other",
        "it is a gradient of `y`",
    )
    names_cut_at_bytes: bool = _quirk(
        "N35",
        "a long function name is cut at a byte, even inside a character",
        "names are cut at characters",
    )
    source_text_hidden: bool = _quirk(
        "§11",
        "code view rows are `file:line:function`",
        "the source text follows when the log has it",
    )
    unmatched_scopes_shown: bool = _quirk(
        "§11",
        "scope view shows scopes that do not match the account regexes as `--/total`",
        "a node that does not match is no row; its matching descendants move up",
    )
    scalar_shape_shown: bool = _quirk(
        "§11",
        "a scalar's shape reads `1`",
        "a scalar has no shape item",
    )
    root_can_be_trimmed: bool = _quirk(
        "C2",
        "a trim regex that matches `_TFProfRoot` leaves nothing but the root, or crashes",
        "the root is never trimmed",
    )
    invalid_regex_matches_nothing: bool = _quirk(
        "I3",
        "an invalid regex is logged and matches nothing",
        "it is an error that names the option",
    )
    names_unchecked: bool = _quirk(
        "I4",
        "unknown select and order_by names pass, and a string is read as a list of characters",
        "unknown names are errors, and a string is a list of one",
    )
    missing_lists_are_empty: bool = _quirk(
        "I5",
        "regex lists and select that are not given are empty",
        "regexes that are not given are `.*`, and select is micros",
    )
    failures_give_empty_results: bool = _quirk(
        "I14",
        "an unknown step or missing traces print a message and give an empty result",
        "they are errors that say what to do",
    )
    legend_always: bool = _quirk(
        "§11",
        "every report begins with what its view and columns mean",
        "the legend comes when asked for",
    )
    original_options_only: bool = _quirk(
        "§11",
        "the list of options has the 21 that the original has",
        "it has all options",
    )
    graph_legend_says_scope: bool = _quirk(
        "I9",
        "the legend of graph view describes scope view",
        "it describes graph view",
    )
    timelines_without_args: bool = _quirk(
        "I12",
        "a timeline is written to `<file>_<step>`, and its regions say only their names",
        "the step follows the name only if several files are written, and regions say more",
    )
    unsupported_is_a_message: bool = _quirk(
        "§5.6",
        "an output that a view cannot have is a note and a result without numbers; the timeline "
        "of all steps of graph view has no result",
        "the former is an error, the latter has the result of any other output",
    )


REPAIRED = Quirks()
ORIGINAL = Quirks(**{item.name: True for item in fields(Quirks)})


def quirks_for(compat: bool) -> Quirks:
    """The preset that a `compat` flag stands for."""
    return ORIGINAL if compat else REPAIRED
