"""Files and model calls to raw tables: the only code that reads files or the network."""

# Of the loaders: stands in raw.loads, and a file loaded by another version is read again.
__version__ = "0.1.0"
