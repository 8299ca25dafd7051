"""From files, bytes and messages to the columns of a profile; one file per source."""
