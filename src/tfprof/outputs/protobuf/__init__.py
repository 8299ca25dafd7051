"""Reports and profiles as protobuf messages."""
