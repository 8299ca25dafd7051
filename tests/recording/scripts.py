"""Scripts that `tfprof run` captures, and a `ProfileContext` around `fit`.

`python -m tests.recording.scripts FOLDER` runs them, one after the other in one process.
"""

from __future__ import annotations

import sys
from pathlib import Path

KERAS = """
import sys
import keras, numpy as np
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("adam", "mse", jit_compile=False)
model.fit(np.ones((32, 4)), np.ones((32, 1)), batch_size=4, epochs=int(sys.argv[1]), verbose=0)
"""

LOOP = """
import tensorflow as tf
w = tf.Variable(tf.ones((20, 20)))

@tf.function
def preprocess(x):
    return x / 2.0

@tf.function
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.matmul(x, w))
    w.assign_sub(0.01 * tape.gradient(loss, w))

for _ in range(20):
    train_step(preprocess(tf.ones((20, 20))))
raise SystemExit(3)
"""

SESSION = """
import tensorflow.compat.v1 as tf, numpy as np
with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 50], "x")
    w = tf.get_variable("w", [50, 50])
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(tf.matmul(x, w)))
    session.run(tf.global_variables_initializer())
    for _ in range(20):
        session.run(step, {x: np.ones((8, 50))})
"""

CONTEXT = """
import keras, numpy as np, tfprof
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("adam", "mse", jit_compile=False)
with tfprof.ProfileContext("context", trace_steps=range(5, 7), dump_steps=[9]) as context:
    context.add_auto_profiling("op", {"select": ["micros"], "output": "none"}, [5])
    model.fit(np.ones((48, 4)), np.ones((48, 1)), batch_size=4, verbose=0)
assert context.profiler.profile.steps == (5, 6)
assert context.get_profiles("op")[5].total_exec_micros > 0
with tfprof.ProfileContext("unused", trace_steps=[100]):
    model.predict(np.ones((4, 4)), verbose=0)
"""

SCRIPTS = {"fit": (KERAS, ["2"]), "loop": (LOOP, []), "session": (SESSION, [])}


def main() -> None:
    import os

    from tfprof.recording.run_script import run_script
    from tfprof.recording.step_capture import StepCapture

    root = Path(sys.argv[1])
    os.chdir(root)
    for name, (text, arguments) in SCRIPTS.items():
        script = root / f"{name}_script.py"
        script.write_text(text)
        capture = StepCapture(root / name, 3, 6, script=str(script))
        print(run_script(script, arguments, capture), capture.problem)
    exec(compile(CONTEXT, "context.py", "exec"), {})


if __name__ == "__main__":
    main()
