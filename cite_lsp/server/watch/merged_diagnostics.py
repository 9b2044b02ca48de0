"""What all open documents report about every file, published as one list a file.

A client keeps one list of diagnostics for a file and is sent it whole, while a bibliography is
examined for each of the drafts that name it: what several of them report is in the list once.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from cite_lsp.server.session.finding_diagnostics import DiagnosticsByUri


class MergedDiagnostics:
    """What every document has to say about every file, and the publishing of the sum."""

    def __init__(self, publish: Callable[[types.PublishDiagnosticsParams], None]) -> None:
        self._publish = publish
        self._by_document: dict[str, DiagnosticsByUri] = {}

    def put(self, document: str, diagnostics: DiagnosticsByUri) -> set[str]:
        """Replace what one document has to say, and publish the files for which that changes it.

        Returns:
            The URIs of those files.
        """
        before = self._by_document.pop(document, {})
        if diagnostics:
            self._by_document[document] = diagnostics
        changed = {
            uri for uri in (*before, *diagnostics) if before.get(uri) != diagnostics.get(uri)
        }
        for uri in sorted(changed):
            self._publish(types.PublishDiagnosticsParams(uri, self.sum(uri)))
        return changed

    def has_any(self, uri: str) -> bool:
        """Whether there is something about a file."""
        return any(uri in by_uri for by_uri in self._by_document.values())

    def sum(self, uri: str) -> list[types.Diagnostic]:
        """Return what all documents say about a file, each thing once."""
        total: list[types.Diagnostic] = []
        # Not each with all others: of a bibliography every open chapter may say the same hundred.
        by_place: dict[tuple[int, int, str], list[types.Diagnostic]] = {}
        for by_uri in self._by_document.values():
            for diagnostic in by_uri.get(uri, ()):
                start = diagnostic.range.start
                alike = by_place.setdefault((start.line, start.character, diagnostic.message), [])
                if diagnostic not in alike:
                    alike.append(diagnostic)
                    total.append(diagnostic)
        return total
