"""What memory a step holds, when, and whether another batch size fits.

    allocations        the recorded blocks: who allocated each, how large, from when to when
    live_memory        bytes live over time, the peak of each memory pool, and live bytes of nodes
    estimated_peaks    the peak where nothing was recorded, from the last use of outputs
    peaks              the peak of each device, recorded or estimated
    compiled_buffers   shapes of what compiled programs hold, and the memory of their arguments
    live_tensors       the blocks at a moment as tensors: node, op, shape, type, line of code

    prediction         memory at given sizes: what holds it, does it fit, the largest that fits
    prediction_text    the same as text
    scaled_trace       a traced step at other sizes
    static_step        a step from the graph alone: order, lifetimes, forwarded buffers
    static_memory      the bytes of each node at the peak of that step, variables included
    kernel_scratch     the scratch memory of kernels
    fed_inputs         the memory of what a step is fed
    recorded_sizes     the sizes of a run whose shapes were not kept
    symbolic_tensors   shapes with symbols for open sizes

`recording` and everything above may import it.
"""
