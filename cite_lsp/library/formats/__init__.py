r"""Other forms of bibliographies: RIS, Zotero's database, `\bibitem`, `.bbl`."""
