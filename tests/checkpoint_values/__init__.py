"""Checkpoints in profiles: types, parameters and values of trained tensors."""
