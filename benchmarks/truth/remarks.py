"""What docs/truth.md says in words."""

__all__ = ["INTRODUCTION", "REMARKS"]

INTRODUCTION = """# The truth

Made by `python -m benchmarks.truth`; do not edit. Float operations of models whose cost was derived
by hand, beside what tfprof and other counters say.

- *truth*: two float operations per multiply-add, in matrix products, convolutions and einsum alone.
  The formulas are at the end of the page; those of keras.applications use nothing but the shapes of
  the layers' outputs and kernels. An unknown batch size (and any other unknown size) is 1 here.
- *ours*: `tfprof.cost` of the SavedModel on disk, in a process without TensorFlow. `= 7.75G·B` says
  that it is the truth for every B, exactly. *and element-wise* is all the rest, which we count apart.
- *ledger*: the nodes that were looked at, when each of them was counted or only moves data.
- *parameters*: ours from the same SavedModel, equal to `model.count_params()`, trainable and not.
- *original*: `tf.compat.v1.profiler` on the graph of the traced function (batch None for models, a
  fixed batch for train steps), and after the usual recipe: batch 1, variables frozen to constants.
- *torch*: FlopCounterMode; *fvcore*: twice its multiply-adds in matrix products and convolutions;
  *JAX*: `cost_analysis()` of the lowered program. All on the same Keras model through Keras' choice
  of backends, with batch 1. What is no Keras model, or no forward pass (fvcore), has none: `-`.
- A percentage is that of the truth. The original and JAX mix in element-wise work, so that some
  percent above 100 are no mistake: *right* means at most 5 % below the truth or above the truth
  with our element-wise count.
"""

REMARKS = """## What the others leave out

- **Batch None**, the default of Keras: the original gives 0 or what little has a fixed size. It
  prints how many ops had incomplete shapes; which, and how much of the work they were, it does not.
- **Functions**: a SavedModel's signature is one call of a function, in which the original does not
  look. Freezing writes functions out, but keeps the batch size of the signature.
- **Loops**: the original and JAX count the body of a loop once, whatever its number of rounds. torch
  and fvcore run the model and see every round, at the price of running it.
- **Attention**: products of activations go through fused kernels or einsum. FlopCounterMode sees
  the projections and not the two products between them, and fvcore likewise.
- **Grouped convolutions and gradients** of depthwise, 3-D and transposed convolutions: no rule in
  the original, or one for another layout.
- **What was left out** is said by nobody but fvcore, which lists op types it has no rule for, the
  element-wise ones among them. Here every node is counted, free or unknown, and a sum with unknown
  nodes is never shown without them.

Two differences are none: FlopCounterMode counts what PyTorch runs, where Keras takes one step of a
ConvLSTM2D more to learn its output shape, and no gradient to an LSTM's first state is needed.

## What our ledger says

In every row above it is complete: no node of the model is unknown. Of a branch that data decides, the
dearest way is counted, and the ledger has a note of that. Where a size grows from round to round of a
loop, the nodes that depend on it are unknown, are named, and are not in the sums.
"""
