"""Takes official data from an archive or a folder into the person's data directory; runs nothing of what it takes."""

from domains.installing.installer import VERIFIED_HOME, Outcome, install

__all__ = ["VERIFIED_HOME", "Outcome", "install"]
