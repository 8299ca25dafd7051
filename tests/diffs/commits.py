"""Two commits of real models. `python -m tests.diffs.commits FOLDER` trains and traces all four.

resnet_1, resnet_2           the demo's network: a kernel 3 -> 5, a scope renamed, lines moved
keras_1, keras_2             a Keras model: a layer added and one with another name, captured
keras_1_saved, keras_2_saved the same models exported as SavedModels
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import tfprof

_ROOT = Path(__file__).parents[2]
_RESNET = (_ROOT / "tools" / "demo_model" / "resnet_model.py").read_text()
_RESNET_CHANGES = {
    "UNITS = 5": "UNITS = 1",
    "STAGES = ((16, 1), (32, 2), (64, 2))": "STAGES = ((16, 1), (32, 2))",
}
_RESNET_COMMIT = {
    '"unit_last"': '"head"',
    "class ResNet:": "# A comment,\n# on two lines.\n\n\nclass ResNet:",
    'self._conv("init_conv", self._images, 16, kernel=3)': (
        'self._conv("init_conv", self._images, 16, kernel=5)'
    ),
}
_KERAS = """
import keras
from keras import layers


class Encoder(layers.Layer):
    def __init__(self, width, **more):
        super().__init__(**more)
        self.up = layers.Dense(width, activation="relu", name="up")
        self.down = layers.Dense(16, name="down")

    def call(self, x):
        return x + self.down(self.up(x))


class Model(keras.Model):
    def __init__(self):
        super().__init__(name="model")
        self.first = Encoder(64, name="encoder1")
        self.second = Encoder(64, name="encoder2")
        self.out = layers.Dense(1, name="out")

    def call(self, x):
        x = self.first(x)
        x = self.second(x)
        return self.out(x)
"""
_KERAS_COMMIT = {
    "from keras import layers\n": "from keras import layers\n\nWIDTH = 512\n",
    'Encoder(64, name="encoder2")': 'Encoder(WIDTH, name="mixer")',
    "        self.out =": (
        '        self.norm = layers.LayerNormalization(name="norm")\n        self.out ='
    ),
    "        return self.out(x)": "        x = self.norm(x)\n        return self.out(x)",
}


def _write(text: str, changes: dict[str, str], path: Path) -> ModuleType:
    """A module with some of its text replaced, written to a file and imported."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def resnet(folder: Path, changes: dict[str, str]) -> None:
    """A traced step of the ResNet demo, made small."""
    module = _write(_RESNET, {**_RESNET_CHANGES, **changes}, folder / "src" / "resnet_model.py")
    v1: Any = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        v1.disable_resource_variables()
        images = v1.placeholder(tf.float32, [8, 32, 32, 3], name="images")
        labels = v1.placeholder(tf.int32, [8], name="labels")
        model = module.ResNet(images, labels, module.Settings())
        model.build_graph()
        session.run(v1.global_variables_initializer())
        run_meta = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        feed = {images: np.zeros([8, 32, 32, 3]), labels: np.zeros([8])}
        session.run(model.train_op, feed)
        session.run(model.train_op, feed, options=options, run_metadata=run_meta)
        graph = session.graph.as_graph_def(add_shapes=True)
        (folder / "graph.pb").write_bytes(graph.SerializeToString())
        (folder / "run_meta").write_bytes(run_meta.SerializeToString())
        tfprof.write_op_log(session.graph, folder, run_meta=run_meta)


def keras_model(folder: Path, changes: dict[str, str]) -> None:
    """A captured step of a Keras model, and the model exported."""
    module = _write(_KERAS, changes, folder.parent / f"{folder.name}_src" / "network.py")
    keras.utils.set_random_seed(0)
    model = module.Model()
    model.compile("adam", "mse", jit_compile=False)
    x = np.zeros([256, 16], np.float32)
    callback = tfprof.KerasCallback(folder, steps=(3, 6))
    model.fit(x, x[:, :1], batch_size=32, verbose=0, callbacks=[callback])
    model.export(f"{folder}_saved", verbose=False)


def main(folder: Path) -> None:
    """Make all of them."""
    keras_model(folder / "keras_1", {})
    keras_model(folder / "keras_2", _KERAS_COMMIT)
    resnet(folder / "resnet_1", {})
    resnet(folder / "resnet_2", _RESNET_COMMIT)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
