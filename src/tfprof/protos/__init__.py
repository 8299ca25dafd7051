"""Message classes, wire-compatible with TensorFlow's but in a package of their own.

Registering TensorFlow's own message names makes `import tensorflow` fail in the same process, so
these are `tfprof.GraphDef` and so on; messages of the two packages convert by their bytes.
`varint` encodes single integers, `fields` hides differences of protobuf's versions.
`definitions` and everything above may import it.
"""
