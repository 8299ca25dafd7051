"""What docs/truth.md says in words."""

__all__ = ["INTRODUCTION", "REMARKS"]

INTRODUCTION = """# The truth

Made by `python -m benchmarks.truth`; do not edit. Float operations of models whose cost was derived
by hand, beside what tfprof and other counters say.

- *truth*: two float operations per multiply-add, in matrix products, convolutions and einsum alone.
  The formulas are at the end of the page; those of keras.applications use nothing but the shapes of
  the layers' outputs and kernels. An unknown batch size (and any other unknown size) is 1, or what
  the name of the case says.
- *ours*: `tfprof.cost` of the SavedModel on disk, in a process without TensorFlow. `= 7.72G·B` says
  that it is the truth for every B, exactly. *and element-wise* is all the rest, counted apart.
- *ledger*: the nodes that were looked at, when each of them was counted or only moves data.
- *parameters*: ours from the same SavedModel, equal to `model.count_params()`, trainable and not.
- *original*: `tf.compat.v1.profiler` on the graph of the traced function (batch None for models, a
  number for train steps), and after the usual recipe: a number for the batch, variables frozen to
  constants.
- *torch*: FlopCounterMode; *fvcore*: twice its multiply-adds in matrix products and convolutions;
  *JAX*: `cost_analysis()` of the lowered program. All on the same Keras model through Keras' choice
  of backends. What is no Keras model has none of these, a train step not fvcore: `-`. The name of
  an error means that Keras or the counter failed; NASNetMobile, for one, is not for PyTorch.
- A percentage is that of the truth. The original and JAX mix in element-wise work, so that more
  than 100 % can be right. *Right* in the first table means: no more than 5 % below the truth, and
  no more than 5 % above the truth with our element-wise count.
"""

REMARKS = """## What the others leave out

- **Batch None**, the default of Keras: the original gives 0, or what little has a size. It prints
  how many ops had incomplete shapes, not which, nor how much of the work they were.
- **Functions**: a SavedModel's signature is one call of a function, and the original does not look
  into it. Freezing writes functions out, but not those that XLA compiles.
- **Loops**: the original and JAX count the body of a loop once, whatever its trip count, and
  a train step's backward loop likewise; the original not even that where sizes inside are unknown.
  FlopCounterMode and fvcore see every iteration, because they run the model.
- **Attention**: FlopCounterMode and fvcore count the projections, but not the two products inside
  `scaled_dot_product_attention`, which is one kernel to them. The original has no rule for Einsum
  and takes `BatchMatMul`'s transposes for something else.
- **Convolutions**: the original counts no grouped convolution, and no gradient of depthwise, 3-D or
  channels-first convolutions. FlopCounterMode counts the filter gradient of a depthwise convolution
  as if every channel met every other.
- **Padding**: JAX leaves out products with the zeros around an image, which everybody else counts:
  a few percent of a large image, a quarter of a small volume.
- **Einsum** in fvcore is rounded to four digits, as it reads them from a text of NumPy's.
- **What was left out** is said by nobody but fvcore, which lists the op types it has no rule for,
  the element-wise ones among them. Here every node is counted, free or unknown, and a sum with
  unknown nodes is never shown without them.

Where FlopCounterMode differs for another reason, PyTorch does run something else: Keras takes one
step more of a SimpleRNN, ConvLSTM2D or GRU with reset before, to learn the shape of its output, and
the backward pass of an LSTM leaves out the gradient to the first state.

## What our ledger says

In every row above it is complete: no node of the model is unknown. Of a branch that data decides,
the most expensive one is counted, and noted. Data-dependent trip counts are symbolic (`T`). Where a
size grows with each iteration of a loop, the nodes that depend on it are unsupported: they are
named, and are not in the sums.
"""
