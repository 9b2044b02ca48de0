"""The log of the server: a line for each record, so that it can be read, and shown, whole."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

from cite_lsp.library.text.invisible_characters import printable_line


class LogLines(logging.Formatter):
    """Writes a record in one line, an error by its name and place.

    Its whole traceback is written where the logger writes details (`log.level = "debug"`).
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as it is written."""
        line = f"{record.levelname} {record.name}: {record.getMessage()}"
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return printable_line(line)
        if logging.getLogger(record.name).isEnabledFor(logging.DEBUG):
            return f"{printable_line(line)}\n{''.join(traceback.format_exception(error)).rstrip()}"
        return printable_line(f"{line}: {in_one_line(error)}")


def in_one_line(error: BaseException) -> str:
    """Return the name of an error, what it says, and where it was raised."""
    message = " ".join("".join(traceback.format_exception_only(error)).split())
    frames = traceback.extract_tb(error.__traceback__)
    return (
        f"{message} ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else message
    )
