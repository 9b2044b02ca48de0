"""Rules are tested as a writer sees them: through the server, with its fixtures."""

from tests.server.conftest import editor_session, editor_sessions, folder, session, shared_session

__all__ = ["editor_session", "editor_sessions", "folder", "session", "shared_session"]
