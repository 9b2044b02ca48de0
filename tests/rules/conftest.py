"""Rules are tested as a writer sees them: through the server, with its fixtures."""

from tests.server.conftest import folder, session, shared_session

__all__ = ["folder", "session", "shared_session"]
