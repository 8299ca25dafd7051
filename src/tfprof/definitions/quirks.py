"""The defects of the original tfprof, one named switch each.

Every field describes what the original does when the switch is on. `REPAIRED` is the default: all
off. `ORIGINAL` turns all of them on and answers like TensorFlow 2.21. A switch is read at the one
place where it acts; `docs/compatibility.md` is generated from this record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields


def _quirk(defect: str, original: str, repaired: str) -> bool:
    """A switch: the defect's number, the original behaviour and the repaired one."""
    metadata = {"defect": defect, "original": original, "repaired": repaired}
    switch: bool = field(default=False, metadata=metadata)
    return switch


@dataclass(frozen=True, slots=True)
class Quirks:
    """Which defects of the original an answer has."""

    first_output_only: bool = _quirk(
        "N1",
        "every input shape is the shape of the producer's output 0",
        "the shape of the output that the input names",
    )
    count_per_regex: bool = _quirk(
        "N3",
        "op and code view add a node once for each account regex that matches it",
        "each node counts once",
    )
    unmatched_own_counts: bool = _quirk(
        "N4",
        "in scope view a scope that does not match adds its self values to every total",
        "only matching nodes count",
    )
    scopes_are_definitions: bool = _quirk(
        "N5",
        "the count of definitions includes the root and scopes that are not nodes",
        "only nodes are definitions",
    )
    cycles_omitted: bool = _quirk(
        "N6",
        "graph view omits cycles without an outside consumer",
        "the first node by name of each such cycle is a root",
    )
    copies_make_nodes: bool = _quirk(
        "N7",
        "a copy record such as `edge_1_x:MEMCPYHtoD` creates a node `edge_1_x`",
        "copy records create no nodes",
    )
    negative_durations: bool = _quirk(
        "N9",
        "negative durations are kept: averages wrap around and shares become infinite",
        "a negative duration counts as the shortest one, with a warning",
    )
    leaf_samples_only: bool = _quirk(
        "N10",
        "pprof output samples only frames without callees",
        "pprof output samples the nodes of every frame",
    )
    shared_string_ids: bool = _quirk(
        "N11",
        "string ids of a later op log are looked up in the first one's table",
        "every op log has its own string table",
    )
    last_log_entry_replaces: bool = _quirk(
        "§7.5",
        "of entries of one name in an op log that is merged with a model's, the last one is kept",
        "each adds what the ones before it lack",
    )
    string_frames_ignored: bool = _quirk(
        "N12", "frames with strings instead of string ids are not read", "both forms are read"
    )
    tensorflow_flop_formulas: bool = _quirk(
        "N13",
        "float operations are TensorFlow's 46 formulas on a live graph (BatchMatMul ignores "
        "`adj_x`, NCHW pools and gradients have none), and only an op log's on one that is read",
        "tfprof's rules count all nodes that an op log has no number for, as `tfprof cost` does",
    )
    unexecuted_float_ops: bool = _quirk(
        "N13",
        "nodes that did not run have their float operations, as if they had run once",
        "only nodes that ran have float operations, and those that were fused into them",
    )
    advice_ranks_top_scopes: bool = _quirk(
        "N14",
        "advice lists the self time of top-level scopes, usually 0us",
        "nodes are ranked by their self time",
    )
    fused_batch_norm_v1_only: bool = _quirk(
        "N15",
        "advice recommends FusedBatchNorm for FusedBatchNormV2 and V3",
        "every FusedBatchNorm version is recognised",
    )
    same_start_dropped: bool = _quirk(
        "N16",
        "of two timeline intervals with the same start on one device, the second is dropped",
        "both are drawn, in separate lanes",
    )
    gpu_allocations_only: bool = _quirk(
        "§modern",
        "allocations are kept of allocators with `GPU` in their name",
        "allocations of every allocator on every device are kept",
    )
    samples_without_allocator: bool = _quirk(
        "N17",
        "memory in the timeline drops to 0 at ops without a GPU allocator record",
        "only records of a GPU allocator are samples",
    )
    uneven_top_allocations: bool = _quirk(
        "N18",
        "`Top Allocation 00` is missing from events without allocations",
        "all ten series are in every event",
    )
    one_device_per_node: bool = _quirk(
        "N20",
        "records of a node's second device are dropped silently",
        "records of all devices count, with a warning",
    )
    several_allocators_reported: bool = _quirk(
        "§3.2",
        "a record with several GPU allocators is reported",
        "it is not: their bytes are added",
    )
    cpu_and_gpu_only: bool = _quirk(
        "N21",
        "only CPU and GPU devices have time; TPU and host devices have none",
        "time counts on every device that is not a stream or a copy lane",
    )
    negative_steps: bool = _quirk(
        "N23",
        "a negative step id is stored and can never be selected",
        "a negative step id is an error",
    )
    int64_overflow: bool = _quirk(
        "N25",
        "parameters, float operations and sums overflow at 64 bits",
        "numbers have arbitrary precision; the bytes of one record stop at 64 bits",
    )
    int32_max_depth: bool = _quirk(
        "N26", "max_depth is truncated to 32 bits", "max_depth is used as given"
    )
    views_built_once: bool = _quirk(
        "N27",
        "nodes and traces added after a view was built, by a report or by advice, are missing "
        "from it",
        "a view shows everything that was added",
    )
    records_reported_once: bool = _quirk(
        "§3.2",
        "odd records, such as those without a start time, are reported when their run is added",
        "they are reported with every report",
    )
    missing_inputs_not_reported: bool = _quirk(
        "§3.1",
        "nothing is said of inputs that name nodes which the graph does not have",
        "they are reported: the file may be truncated",
    )
    no_values_said_per_row: bool = _quirk(
        "§5.9",
        "code view says for each row that it has no tensor value to show",
        "it says so once",
    )
    empty_traces_on_load: bool = _quirk(
        "§1.4",
        "nodes without a code trace have an empty one once they were saved and loaded, and never "
        "get another",
        "they have none",
    )
    warning_lost_on_load: bool = _quirk(
        "N28",
        "a saved profile loses the warning about missing accelerator streams",
        "the warning is kept",
    )
    exact_runtime_names: bool = _quirk(
        "N29",
        "runtime shapes complete a node only under its exact name and with all its outputs, so "
        "that fed tensors stay unknown",
        "`_arg_x_0_0` is output 0 of `x`, and each recorded output counts",
    )
    captures_ignored: bool = _quirk(
        "N29",
        "variables that a function captures are not variables",
        "they are, with their shapes; trainable ones are `_trainable_variables`",
    )
    traces_without_text: bool = _quirk(
        "§7.5",
        "stacks of a live graph have neither source text nor function start lines",
        "they have both",
    )
    incomplete_shapes_reported: bool = _quirk(
        "§7.5",
        "the number of ops with incomplete shapes is printed for every live graph without a run",
        "which nodes were not counted, and why, is reported when float_ops is selected",
    )
    rounded_values: bool = _quirk(
        "N32", "checkpoint values are rounded to 6 significant digits", "values have full precision"
    )
    loose_gradient_names: bool = _quirk(
        "N33",
        "code view treats `a_grad/gradients/y` as a gradient, `gradients_1/y_grad/z` not",
        "`gradients/` or `gradients_1/` must come first",
    )
    unmatched_gradients_omitted: bool = _quirk(
        "N33",
        "code view omits gradients without a forward node, with a message",
        "they keep their own frames",
    )
    functions_not_inlined: bool = _quirk(
        "§modern",
        "calls, loops and branches are single nodes; function bodies are not expanded",
        "function bodies are expanded: their nodes have the names they run under",
    )
    runtime_names_not_mapped: bool = _quirk(
        "N29",
        "a record whose name is not in the graph creates a node of that name",
        "runtime names are mapped to the graph nodes that they were derived from, where there "
        "is one",
    )
    graph_op_types_only: bool = _quirk(
        "§modern",
        "a node's op type is that of the graph, or its name if only a run has it",
        "it is the op that ran, such as `_FusedConv2D`; the graph's is an additional type of "
        "the node",
    )
    original_metrics_only: bool = _quirk(
        "§modern",
        "`macs`, `executed_float_ops` and `live_bytes` are unknown metrics",
        "`macs` counts multiply-adds: half of the float operations of matmuls and convolutions; "
        "`executed_float_ops` is what a compiled program executes; `live_bytes` is the memory that "
        "is live at the peak",
    )
    original_outputs_only: bool = _quirk(
        "§5.6",
        "outputs other than stdout, file, timeline, pprof and none are unknown, and so are file "
        "names in place of a type",
        "json, csv, html and others are outputs, and `-output rows.csv` is one of them",
    )
    tape_gradients_not_mapped: bool = _quirk(
        "§modern",
        "code view treats `gradient_tape/y/…` as an ordinary node",
        "it is a gradient of `y`",
    )
    names_cut_at_bytes: bool = _quirk(
        "N35",
        "long function names are cut at a byte, even inside a character",
        "names are cut between characters",
    )
    source_text_hidden: bool = _quirk(
        "§11",
        "code view rows are `file:line:function`",
        "the source text follows if the op log has it",
    )
    unmatched_scopes_shown: bool = _quirk(
        "§11",
        "scope view shows scopes that do not match the account regexes as `--/total`",
        "a scope that does not match has no row; its matching descendants move up",
    )
    three_times_shown: bool = _quirk(
        "§11",
        "`-select micros` shows three columns: total, accelerator and cpu execution time",
        "it shows one; `accelerator_micros` and `cpu_micros` are shown when they are selected",
    )
    scalar_shape_shown: bool = _quirk(
        "§11", "the shape of a scalar is shown as `1`", "a scalar has no shape"
    )
    root_can_be_trimmed: bool = _quirk(
        "C2",
        "a trim regex that matches `_TFProfRoot` leaves only the root, or crashes",
        "the root is never trimmed",
    )
    invalid_regex_matches_nothing: bool = _quirk(
        "I3",
        "an invalid regex is logged and matches nothing",
        "it is an error that names the option",
    )
    depth_order_is_by_name: bool = _quirk(
        "I6",
        "`-order_by depth` sorts by name",
        "it keeps the order of the view: of inputs in graph view, of creation in code view",
    )
    lists_sorted_by_name: bool = _quirk(
        "§11",
        "op and code view are sorted by name unless `-order_by` is given",
        "they are sorted by the first selected metric, the largest first",
    )
    minima_of_inclusive_values: bool = _quirk(
        "§11",
        "in scope and graph view `-min_…` of time and memory test inclusive values",
        "there all `-min_…` test self values; `-min_self_…` and `-min_total_…` say which in any "
        "view",
    )
    occurrence_ignored_in_code: bool = _quirk(
        "I7",
        "`-min_occurrence` has no effect in code view",
        "it tests the number of nodes of a line and the lines that it calls",
    )
    names_unchecked: bool = _quirk(
        "I4",
        "unknown select and order_by names are accepted, and a string is a list of characters",
        "unknown names are errors, and a string is a list of one",
    )
    missing_lists_are_empty: bool = _quirk(
        "I5",
        "regex lists and select are empty by default",
        "regex lists are `.*` by default, and select is micros",
    )
    failures_give_empty_results: bool = _quirk(
        "I14",
        "an unknown step or missing traces print a message and give an empty result",
        "they are errors that say what to do",
    )
    empty_without_a_word: bool = _quirk(
        "I14",
        "a report without rows says nothing more",
        "a message says which filter left no row, and the nearest value that would leave some",
    )
    legend_always: bool = _quirk(
        "§11",
        "every report starts with a legend of its view and columns",
        "the legend is shown on request",
    )
    original_options_only: bool = _quirk(
        "§11", "the printed options are the original's 21", "all options are printed"
    )
    graph_legend_says_scope: bool = _quirk(
        "I9", "the legend of graph view describes scope view", "it describes graph view"
    )
    timelines_without_args: bool = _quirk(
        "I12",
        "the timeline `x.json` is written to `x.json_<step>`, and its regions have only names",
        "`x_<step>.json` only if several files are written, else `x.json`; regions have details",
    )
    pprof_command_printed: bool = _quirk(
        "§5.7",
        "a pprof command is printed on standard output",
        "a message says how to open the file",
    )
    dash_is_a_file: bool = _quirk(
        "§11", "`outfile=-` writes a file that is called `-`", "it is standard output"
    )
    unsupported_is_a_message: bool = _quirk(
        "§5.6",
        "an output that a view does not support prints a message and gives a result without "
        "numbers; the timeline of all steps of graph view has no result",
        "the former is an error; the latter has the result of any other output",
    )


REPAIRED = Quirks()
ORIGINAL = Quirks(**{item.name: True for item in fields(Quirks)})


def quirks_for(compat: bool) -> Quirks:
    """The preset of a `compat` flag."""
    return ORIGINAL if compat else REPAIRED
