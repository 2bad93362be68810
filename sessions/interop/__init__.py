"""Reading and writing what other programs record."""
