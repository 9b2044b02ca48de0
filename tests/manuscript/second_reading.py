"""A slow and obvious second reading of drafts, to compare the parser with."""

from __future__ import annotations

import re

CitedKey = tuple[str, int]
"""A key and where it stands."""

HEADINGS = "part chapter section subsection subsubsection paragraph subparagraph".split()
VERBATIM = ("verbatim", "Verbatim", "lstlisting", "minted", "comment", "filecontents")
DEFINING = {
    "newcommand": 1, "renewcommand": 1, "providecommand": 1, "DeclareRobustCommand": 1,
    "newenvironment": 2, "renewenvironment": 2, "NewDocumentCommand": 2, "AtEveryCite": 0,
    "def": 1, "gdef": 1,
}  # fmt: skip


class LatexReader:
    """Reads character by character, as TeX would, and collects the keys of `…cite…` commands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.citations: list[CitedKey] = []
        self.headings: list[tuple[int, int]] = []

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def read(self) -> list[CitedKey]:
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "%":
                self.line()
            elif character == "\\":
                if not self.command():
                    break
            else:
                self.at += 1
        return self.citations

    def line(self) -> None:
        while self.at < len(self.text) and self.text[self.at] != "\n":
            self.at += 1

    def blanks(self) -> None:
        while self.peek() and self.peek() in " \t\n":
            self.at += 1

    def word(self) -> str:
        start = self.at
        while re.fullmatch("[A-Za-z@]", self.peek()):
            self.at += 1
        return self.text[start : self.at]

    def delimited(self, opening: str, closing: str) -> tuple[int, int]:
        start, depth = self.at, 0
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "\\":
                self.at += 2
                continue
            depth += (character == opening) - (character == closing)
            self.at += 1
            if not depth:
                break
        return start + 1, self.at - 1

    def command(self) -> bool:
        self.at += 1
        name = self.word()
        if not name:
            self.at += 1
            return True
        if self.peek() == "*":
            self.at += 1
        if name in ("begin", "end") and self.peek() == "{":
            return self.environment(name)
        if name in ("verb", "lstinline"):
            if name == "lstinline" and self.peek() == "[":
                self.delimited("[", "]")
            closing = "}" if self.peek() == "{" else self.peek()
            self.at = self.text.index(closing, self.at + 1) + 1
        elif name in ("url", "href") and self.peek() == "{":
            self.delimited("{", "}")
        elif name in DEFINING:
            self.definition(name)
        elif name == "let":
            self.line()
        elif "cite" in name.lower():
            self.cite()
        elif name in HEADINGS:
            self.heading(name)
        return True

    def environment(self, name: str) -> bool:
        start, end = self.delimited("{", "}")
        environment = self.text[start:end]
        if name == "end" and environment == "document":
            return False
        if name == "begin" and environment.rstrip("*") in VERBATIM:
            closing = "\\end{" + environment + "}"
            end = self.text.find(closing, self.at)
            self.at = len(self.text) if end < 0 else end + len(closing)
        return True

    def heading(self, name: str) -> None:
        start = self.text.rindex("\\", 0, self.at)
        after = self.at
        self.blanks()
        while self.peek() == "[":
            self.delimited("[", "]")
            self.blanks()
        if self.peek() == "{":
            self.headings.append((HEADINGS.index(name) + 1, start))
        self.at = after  # a heading may cite

    def definition(self, name: str) -> None:
        self.blanks()
        if self.peek() == "{" and name not in ("def", "gdef"):
            self.delimited("{", "}")
        elif self.peek() == "\\":
            self.at += 1
            self.word()
        while self.peek() and self.peek() not in "{\n" and name in ("def", "gdef"):
            self.at += 1
        for _ in range(max(DEFINING[name], 1)):
            self.blanks()
            while self.peek() == "[":
                self.delimited("[", "]")
                self.blanks()
            if self.peek() == "{":
                self.delimited("{", "}")

    def cite(self) -> None:
        before = self.at
        self.blanks()
        while self.peek() == "[":
            self.delimited("[", "]")
            self.blanks()
        if self.peek() != "{":
            self.at = before
            return
        start, end = self.delimited("{", "}")
        position = start
        for piece in self.text[start:end].split(","):
            key = piece.strip().removeprefix("*")
            if key:
                self.citations.append((key, position + piece.index(key)))
            position += len(piece) + 1


def latex_keys(text: str) -> list[CitedKey]:
    return LatexReader(text).read()


def latex_headings(text: str) -> list[tuple[int, int]]:
    """Return level and offset of every heading."""
    reader = LatexReader(text)
    reader.read()
    return reader.headings


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def markdown_keys(text: str) -> list[CitedKey]:
    """Blank out, step by step, all that cannot cite; every `@key` left is a citation."""
    body = re.sub(r"\A---\n.*?\n(?:---|\.\.\.)[ \t]*\n", _blank, text, flags=re.DOTALL)
    lines, fence = [], ""
    for line in body.split("\n"):
        opened = re.match(r"[ \t>]*(?:[-*+][ ]|\d+\.[ ])?[ \t]*(`{3,}|~{3,})(.*)", line)
        if fence:
            if opened and opened[1].startswith(fence) and not opened[2].strip():
                fence = ""
            line = " " * len(line)
        elif opened and "`" not in opened[2]:
            fence = opened[1]
            line = " " * len(line)
        lines.append(line)
    body = "\n".join(lines)
    for pattern in (
        r"<!--.*?-->",
        r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)",
        r"<(?:script|style)\b.*?</(?:script|style)>",
        r"</?[A-Za-z][^<>]*>",
        r"\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)",
        r"https?://[^\s)\]>]+",
        r"[\w.+-]+@[\w-]+\.[\w.-]+",
        r"\\@ref\([^)]*\)",
    ):
        keep = ":cite" if "`+" in pattern else ""
        body = re.sub(
            pattern,
            lambda citations, keep=keep: (
                citations.group()
                if keep and re.search(r":cite[a-z]*:$", citations.string[: citations.start()])
                else _blank(citations)
            ),
            body,
            flags=re.DOTALL,
        )
    citations: list[CitedKey] = []
    key = r"[^\W](?:\w|[:.#$%&+?<>~/-](?=\w)|[:/](?=/))*"
    for match in re.finditer(rf"(?<![\w.\\])@({key})", body):
        if not re.match(r"(?:fig|tbl|sec|eq|thm|lst)-", match[1]):
            citations.append((match[1], match.start(1)))
    for match in re.finditer(r":cite[a-z]*:`([^`]*)`", body):
        position = match.start(1)
        for piece in match[1].split(","):
            citations.append((piece.strip(), position + piece.index(piece.strip())))
            position += len(piece) + 1
    for match in re.finditer(r"\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}", body):
        position = match.start(1)
        for piece in match[1].split(","):
            citations.append((piece.strip(), position + piece.index(piece.strip())))
            position += len(piece) + 1
    return sorted(citations, key=lambda item: item[1])
