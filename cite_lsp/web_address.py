"""Pages of papers on the web: which address names which paper, however it is written.

One page has several addresses: that of the paper, of its PDF, of a version, of a site that has
moved. What is left of all of them is the site and the name that the site gives to the paper.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from attrs import frozen

from cite_lsp.lazy_re import lazy_re

ACL, PUBMED, PMC = "aclanthology.org", "pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"
"""Sites that have moved, or whose numbers are also written without an address."""

_ACL_NUMBER = r"[a-z]\d{2}-\d{4,5}|\d{4}\.[a-z\d_]+-[a-z\d]+\.\d+"
_ACL_DOI = lazy_re(rf"10\.(?:18653/v1|3115/v1)/(?P<name>{_ACL_NUMBER})", re.IGNORECASE)
_OWN_ID = lazy_re(rf"(?:acl:(?P<acl>{_ACL_NUMBER})|pmid:(?P<pmid>\d+))\Z", re.IGNORECASE)
_ADDRESS = lazy_re(
    r"(?:https?://(?:www\.)?|www\.)(?P<host>[\w.-]+\.[a-z]{2,})(?::\d+)?/(?P<rest>\S+)",
    re.IGNORECASE,
)
_BARE = lazy_re(
    rf"(?P<acl>{_ACL_NUMBER})|pmid:?\s*(?P<pmid>\d{{4,9}})|(?P<pmc>pmc\d{{4,9}})", re.IGNORECASE
)
"""Numbers that tell whose they are without an address."""
_SITES = (
    (ACL, lazy_re(rf"acl(?:web|anthology)\.\S*/(?P<name>{_ACL_NUMBER})(?!\d)", re.IGNORECASE)),
    (
        PMC,
        lazy_re(r"(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/\S*\b(?P<name>pmc\d+)", re.IGNORECASE),
    ),
    (
        PUBMED,
        lazy_re(
            r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed"
            r"|europepmc\.org/(?:article|abstract)/med)/(?P<name>\d+)",
            re.IGNORECASE,
        ),
    ),
    (
        "proceedings.mlr.press",
        lazy_re(r"proceedings\.mlr\.press/(?P<name>v\d+/[\w-]+)", re.IGNORECASE),
    ),
    (
        "github.com",
        lazy_re(r"github\.com/(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?(?=[/?#]|\Z)", re.IGNORECASE),
    ),
)
"""Sites that have moved or have several addresses for a paper, and where its name has two parts."""
_NUMBERED_SITES = ("doi.org", "arxiv.org")
"""Sites whose addresses name papers by a DOI or an arXiv number."""
_ID = lazy_re(r"\?(?:\S*&)?(?:id|arnumber|paper_?id|filename)=(?P<name>[\w.-]+)", re.IGNORECASE)
_QUERY = lazy_re(r"[?#].*", re.DOTALL)
_ENDING = lazy_re(
    r"(?:\.pdf|\.html?|\.full|\.bib|[-_](?:abstract|paper|supplemental)(?:[-_][a-z_]+)?)+\Z",
    re.IGNORECASE,
)
_VIEWS = frozenset("document full abstract abs pdf html bibtex download view index summary".split())
"""Last parts of an address that say how a paper is shown, not which."""
_VERSION = lazy_re(r"(?<=\d{6})v\d+\Z")
_PAPER_NAME = lazy_re(r"(?=\S*\d)\S{4,}|\S{12,}")
"""The shortest name of a paper: a single word is rather that of a page."""
_RUN = lazy_re(r"[A-Za-z\d-]+")


@frozen
class WebAddress:
    """The page of a paper: the site, in lower case, and the name of the paper there."""

    site: str
    name: str

    @property
    def identifier(self) -> str:
        """An identifier of the page, the same for all of its addresses."""
        return f"address {self.site} {self.name.lower()}"

    @property
    def sign(self) -> str:
        """The part of the name that is written alike wherever the page is named."""
        if self.site == ACL:  # P05-1033 in upper case or not, 2020.acl-main.1
            return re.sub(r"\A[a-z](?=\d)", "", self.name.lower()).partition(".")[0]
        if self.site == PMC:
            return self.name[len("pmc") :]
        return max(_RUN.findall(self.name), key=len, default=self.name)

    @property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds the page in a record, by its address or by its number."""
        name = re.escape(self.name)
        if self.site == ACL:
            pattern = rf"(?<![\w.-]){name}(?!\d)"
        elif self.site == PMC:
            pattern = rf"(?<!\w){name}(?!\d)"
        elif self.site == PUBMED:
            pattern = rf"(?:pmid|pubmed|/med|eprint)\W+(?:\S*/)?{name}(?!\d)"
        else:
            pattern = rf"{re.escape(self.site)}/(?:\S*[/=])?{name}(?![A-Za-z\d])"
        return re.compile(pattern, re.IGNORECASE)


def web_address(text: str) -> WebAddress | None:
    """Return the page that is written; None where it is none, or one by a DOI or arXiv number.

    Numbers of PubMed, PubMed Central and the ACL Anthology need no address.
    """
    if bare := _BARE.fullmatch(text):
        name = bare["acl"] or bare["pmid"] or bare["pmc"]
        return WebAddress(ACL if bare["acl"] else PUBMED if bare["pmid"] else PMC, name)
    address = _ADDRESS.match(text)
    if address is None:
        return None
    host, rest = address["host"].lower(), unquote(address["rest"])
    for site, pattern in _SITES:
        if page := pattern.match(f"{host}/{rest}"):
            return WebAddress(site, page["name"])
    if host.endswith(_NUMBERED_SITES):
        return None
    if by_id := _ID.search(rest):
        return WebAddress(host, by_id["name"])
    parts = [part for part in _QUERY.sub("", rest).split("/") if part]
    while len(parts) > 1 and parts[-1].lower() in _VIEWS:
        parts.pop()
    name = _VERSION.sub("", _ENDING.sub("", parts[-1])) if parts else ""
    return WebAddress(host, name) if _PAPER_NAME.fullmatch(name) else None


def pages(*, id: str = "", url: str = "", doi: str = "") -> list[WebAddress]:
    """Return the pages of a paper, each once: that of its address, and those its numbers tell."""
    addresses = [web_address(url)]
    if id_match := _OWN_ID.match(id):
        addresses.append(
            WebAddress(ACL if id_match["acl"] else PUBMED, id_match["acl"] or id_match["pmid"])
        )
    if of_acl := _ACL_DOI.search(doi):
        addresses.append(WebAddress(ACL, of_acl["name"]))
    return list({page.identifier: page for page in addresses if page}.values())
