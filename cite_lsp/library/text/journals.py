r"""The text of a venue field, with the journal macros of astronomy resolved.

The class files of AAS, A&A and MNRAS define them, no bibliography does: ADS exports `{\mnras}`
(https://ui.adsabs.harvard.edu/help/actions/journal-macros).
"""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.latex_decode import decode

_MACRO = lazy_re(r"\{?\s*\\([A-Za-z@]+)\s*+(?:\{\}|\\)?\s*+\}?")
_JOURNALS = {
    "aj": "AJ", "actaa": "Acta Astron.", "araa": "ARA&A", "apj": "ApJ", "apjl": "ApJL",
    "apjlett": "ApJL", "apjs": "ApJS", "apjsupp": "ApJS", "ao": "Appl. Opt.", "apss": "Ap&SS",
    "aap": "A&A", "astap": "A&A", "aapr": "A&A Rev.", "aaps": "A&AS", "azh": "AZh", "baas": "BAAS",
    "bac": "Bull. Astron. Inst. Czech.", "caa": "Chinese Astron. Astrophys.",
    "cjaa": "Chinese J. Astron. Astrophys.", "icarus": "Icarus", "jcap": "JCAP", "jrasc": "JRASC",
    "jaavso": "JAAVSO", "memras": "MmRAS", "mnras": "MNRAS", "na": "New Astron.",
    "nar": "New Astron. Rev.", "pra": "Phys. Rev. A", "prb": "Phys. Rev. B", "prc": "Phys. Rev. C",
    "prd": "Phys. Rev. D", "pre": "Phys. Rev. E", "prl": "Phys. Rev. Lett.", "psj": "PSJ",
    "pasa": "PASA", "pasp": "PASP", "pasj": "PASJ", "qjras": "QJRAS",
    "rmxaa": "Rev. Mexicana Astron. Astrofis.", "skytel": "S&T", "solphys": "Sol. Phys.",
    "sovast": "Soviet Ast.", "ssr": "Space Sci. Rev.", "zap": "ZAp", "nat": "Nature",
    "sci": "Science", "iaucirc": "IAU Circ.", "aplett": "Astrophys. Lett.",
    "apspr": "Astrophys. Space Phys. Res.", "bain": "Bull. Astron. Inst. Netherlands",
    "fcp": "Fund. Cosmic Phys.", "gca": "Geochim. Cosmochim. Acta", "grl": "Geophys. Res. Lett.",
    "jcp": "J. Chem. Phys.", "jgr": "J. Geophys. Res.",
    "jqsrt": "J. Quant. Spectrosc. Radiat. Transf.", "memsai": "Mem. Soc. Astron. Italiana",
    "nphysa": "Nucl. Phys. A", "physrep": "Phys. Rep.", "physscr": "Phys. Scr.",
    "planss": "Planet. Space Sci.", "procspie": "Proc. SPIE", "maps": "Meteorit. Planet. Sci.",
}  # fmt: skip
JOURNAL_NAMES = frozenset(_JOURNALS.values())
"""The journals of the macros."""


def venue_text(field: str) -> str:
    r"""Return the plain text of a `journal` or a similar field; of a lone macro, what it names.

    A macro that nobody knows is shown by its own name.
    """
    macro = _MACRO.fullmatch(field.strip())
    if macro and macro[1] in _JOURNALS:
        return _JOURNALS[macro[1]]
    return without_markup(decode(field)) or (macro[1] if macro else "")
