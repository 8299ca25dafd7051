"""A profile: everything known of a model, as immutable columns."""
