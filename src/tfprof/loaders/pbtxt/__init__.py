"""Text-format protobuf (`.pbtxt`) to columns and wire bytes."""
