"""Which part of a Zotero database the settings choose; reading it is `zotero_choice`."""

from __future__ import annotations

from attrs import frozen

COLLECTION, LIBRARY = "zotero.collection", "zotero.library"
"""The settings, as problems call them: what is wrong with one begins with its name."""
OWN_LIBRARY = "My Library"
"""What Zotero calls the library that is no group's."""


@frozen
class ZoteroPart:
    """What of a Zotero database counts.

    collections: names, or paths such as "Thesis/Chapter 2"; none for all items. library: the name
    of a group, or `OWN_LIBRARY`; "" for all libraries.
    """

    collections: tuple[str, ...] = ()
    library: str = ""


WHOLE = ZoteroPart()
