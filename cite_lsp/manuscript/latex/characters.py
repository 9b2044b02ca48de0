"""Which characters the commands of LaTeX set: the same in a draft and in a bibliography."""

from __future__ import annotations

import unicodedata

ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "G": "\u030f",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
"""The commands of accents, and the combining characters that they set."""

READ_ACCENTS = {**ACCENTS, "h": "\u0309", "t": "\u0361"}
"""With those that only few encodings of fonts have: these are read, and never written."""

LETTERS = {
    "ss": "ß", "SS": "ẞ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ",
    "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð",
    "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip

SIGNS = {
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotesingle": "'", "textquotedbl": '"',
    "guillemotleft": "«", "guillemotright": "»", "guillemetleft": "«", "guillemetright": "»",
    "quotedblbase": "„", "quotesinglbase": "‚", "glqq": "„", "grqq": "“", "glq": "‚", "grq": "‘",
    "flqq": "«", "frqq": "»", "og": "«", "fg": "»",
    "textexclamdown": "¡", "textquestiondown": "¿", "textbackslash": "\\", "textunderscore": "_",
    "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<",
    "textgreater": ">", "textdollar": "$", "textbraceleft": "{", "textbraceright": "}",
    "textellipsis": "…", "ldots": "…", "dots": "…", "textbullet": "•",
    "textperiodcentered": "·", "textregistered": "®", "texttrademark": "™", "textcopyright": "©",
    "copyright": "©", "textdegree": "°", "degree": "°", "textcelsius": "°C", "textmu": "µ",
    "texteuro": "€", "euro": "€", "pounds": "£", "textsterling": "£", "S": "§", "P": "¶",
    "dag": "†", "ddag": "‡", "slash": "/", "textonehalf": "½", "textonequarter": "¼",
    "textthreequarters": "¾", "textordfeminine": "ª", "textordmasculine": "º",
    "textminus": "−", "textsurd": "√", "textohm": "Ω", "textperthousand": "‰",
    "textonesuperior": "¹", "texttwosuperior": "²", "textthreesuperior": "³", "textnumero": "№",
    "textasciiacute": "´", "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX",
    "quad": " ", "qquad": " ", "newline": " ", "linebreak": " ", "space": " ",
    "uhorn": "ư", "UHORN": "Ư", "ohorn": "ơ", "OHORN": "Ơ",
}  # fmt: skip

_MATHS = {
    "times": "×", "pm": "±", "mp": "∓", "cdot": "·", "div": "÷", "sqrt": "√", "infty": "∞",
    "to": "→", "rightarrow": "→", "longrightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔",
    "Rightarrow": "⇒", "mapsto": "↦", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "ne": "≠", "approx": "≈", "sim": "~", "simeq": "≃", "equiv": "≡", "propto": "∝", "ll": "≪",
    "gg": "≫", "lesssim": "≲", "gtrsim": "≳", "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪",
    "cap": "∩", "forall": "∀", "exists": "∃", "partial": "∂", "nabla": "∇", "sum": "∑",
    "prod": "∏", "int": "∫", "ell": "ℓ", "hbar": "ħ", "circ": "°", "prime": "′", "otimes": "⊗",
    "oplus": "⊕", "star": "⋆", "ast": "*", "odot": "⊙", "Re": "ℜ", "Im": "ℑ", "mid": "|",
    "wedge": "∧", "vee": "∨", "langle": "⟨", "rangle": "⟩", "log": "log", "exp": "exp",
    "min": "min", "max": "max", "sin": "sin", "cos": "cos", "tan": "tan",
    "less": "<", "greater": ">", "mathsemicolon": ";",  # as Crossref exports markup in titles
    "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varsigma": "ς", "varrho": "ϱ",
}  # fmt: skip

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega"
).split()
GREEK = {
    command: unicodedata.lookup(f"GREEK {case} LETTER {name.replace('lambda', 'lamda')}")
    for name in _GREEK_NAMES
    for command, case in ((name, "SMALL"), (name.capitalize(), "CAPITAL"))
}
IN_FORMULAS = {**_MATHS, **GREEK}
