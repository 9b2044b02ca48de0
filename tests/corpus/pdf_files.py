"""PDF files as small as they come, written by hand: lines of text in several sizes of type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Line = tuple[float, float, str]
"""Size of the type, height on a page of 792 points, and the text."""


def pdf(
    pages: Sequence[Sequence[Line]],
    info: Mapping[str, str] | None = None,
    *,
    chinese: bool = False,
) -> bytes:
    """Return a PDF of some pages, set in a font that has Chinese or in one that has not."""
    numbers = [5 + 2 * place for place in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    fields = " ".join(f"/{name} ({_escaped(text)})" for name, text in (info or {}).items())
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< {fields} >>",
    }
    if chinese:
        descendant = "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 >>"
        objects[3] = (
            "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UTF16-H "
            f"/DescendantFonts [{descendant}] >>"
        )
    for number, lines in zip(numbers, pages, strict=True):
        content = "\n".join(
            f"BT /F1 {size} Tf 72 {height} Td {_string(text, chinese)} Tj ET"
            for size, height, text in lines
        )
        objects[number] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {number + 1} 0 R >>"
        )
        objects[number + 1] = f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
    return _file(objects)


def _file(objects: Mapping[int, str]) -> bytes:
    body, places = "%PDF-1.4\n", []
    for number in range(1, len(objects) + 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{objects[number]}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {count} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + end).encode("latin-1")


def _string(text: str, chinese: bool) -> str:
    return f"<{text.encode('utf-16-be').hex()}>" if chinese else f"({_escaped(text)})"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
