"""The world: databases, tools, policies and tasks. Knows nothing of people, models, screens or recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from domains.catalog import Domain, list_domains, load_domain
    from domains.errors import DataError, UnknownDomain

__all__ = ["DataError", "Domain", "UnknownDomain", "list_domains", "load_domain"]


def __getattr__(name: str) -> Any:
    # Lazy, so that `import domains` costs nothing before the first frame.
    if name in ("DataError", "UnknownDomain"):
        from domains import errors

        return getattr(errors, name)
    if name in __all__:
        from domains import catalog

        return getattr(catalog, name)
    raise AttributeError(f"module 'domains' has no attribute {name!r}")
