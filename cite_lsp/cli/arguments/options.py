"""What each command takes, a function of its name for each: its description and its options.

Nothing that does the work of a command is loaded for them, but for those for developers.
"""

from __future__ import annotations

import argparse

from cite_lsp.cli.arguments.shared_options import (
    add_bibliographies,
    add_corpora,
    add_json,
    add_limit,
    add_method,
)
from cite_lsp.option_types import add_paths, address, positive, share
from cite_lsp.paths import expanded
from cite_lsp.rules.rule_names import RULES


def serve(parser: argparse.ArgumentParser) -> None:
    """Run the language server: on stdin and stdout, or on a TCP address."""
    parser.add_argument("--tcp", metavar="HOST:PORT", type=address, help="listen here instead")
    parser.add_argument("--stdio", action="store_true", help="use stdin and stdout (the default)")


def doctor(parser: argparse.ArgumentParser) -> None:
    """Check that everything works: Python, the models that ship, the user's folders, a ranking."""
    add_json(parser)


def suggest(parser: argparse.ArgumentParser) -> None:
    """Recommend papers for a place in a draft, as the server would there.

    Without a line, for every marker and every sentence that has none. The settings are those of
    the cite-lsp.toml files above the draft; options win.
    """
    parser.add_argument(
        "place", metavar="FILE[:LINE[:COLUMN]]", help="line and column count from 1, in characters"
    )
    add_limit(parser, 10, "papers a place")
    add_bibliographies(parser)
    add_corpora(parser, "a corpus")
    parser.add_argument(
        "--translator",
        metavar="NAME",
        help="what translates Chinese: dictionary, or a Marian model on this machine, by its folder"
        " or its name on the hub (that of the settings)",
    )
    add_method(parser)
    add_json(parser)


LIMIT = 20
"""Papers that are listed, unless another number is asked for."""


def references(parser: argparse.ArgumentParser) -> None:
    """List what a draft as a whole should cite and does not, by topic.

    Papers come from the draft's bibliographies and from the corpora on this machine. Each has
    reasons and the sentence that it would go to. The settings are those of the cite-lsp.toml
    files above the draft; options win.
    """
    parser.add_argument("file", type=expanded, metavar="FILE", help="the draft, any file of it")
    add_limit(parser, LIMIT, "papers at most")
    add_bibliographies(parser)
    add_corpora(parser, "a corpus on this machine")
    output_options = parser.add_mutually_exclusive_group()
    add_json(output_options)
    output_options.add_argument(
        "--html",
        type=expanded,
        metavar="OUT",
        help="write one page to read in a browser, which needs nothing but itself",
    )
    output_options.add_argument(
        "--bibtex",
        action="store_true",
        help="print the BibTeX entries of those papers that the library lacks",
    )


def check(parser: argparse.ArgumentParser) -> None:
    """Check drafts: citations that are missing or empty, unknown keys, broken bibliographies.

    A draft is checked with all files that it includes, a .bib file for itself, a folder with
    all drafts in it. What is found is what the server would show. The exit status is 1 where
    there is something or where a part could not be checked, so that a build can stop on it, and
    0 where there is nothing.
    """
    parser.add_argument(
        "files",
        nargs="+",
        type=expanded,
        metavar="FILE",
        help="drafts, each with the files that it includes, .bib files, or folders of drafts",
    )
    output_options = parser.add_mutually_exclusive_group()
    output_options.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", help="of the output (text)"
    )
    output_options.add_argument(
        "--json", dest="format", action="store_const", const="json", help="as --format json"
    )
    parser.add_argument(
        "--level",
        choices=("careful", "balanced", "eager"),
        help="how readily a citation is said to be missing: few and mostly right, or many",
    )
    parser.add_argument(
        "--threshold",
        type=share,
        metavar="SHARE",
        help="likelihood, 0 to 1, that a sentence needs a citation from which on papers are looked"
        " for (the level's own)",
    )
    parser.add_argument(
        "--confidence",
        type=share,
        metavar="SHARE",
        help="likelihood, 0 to 1, of the first paper being right from which on it is told (the"
        " level's own)",
    )
    parser.add_argument(
        "--only",
        choices=sorted(RULES),
        action="append",
        metavar="RULE",
        help=f"only this rule; may be given several times: {', '.join(RULES)}",
    )
    add_bibliographies(parser)


def bib(parser: argparse.ArgumentParser) -> None:
    """Work on bibliographies: the entries that drafts cite, works that are in twice, false ones.

    With --cited-only, FILE is a draft: the entries that it cites are printed as they stand in
    its bibliographies, with the entries, macros and comments that belong to them. The exit
    status is 1 where a key that it cites has no entry.

    With --duplicates, FILE is a .bib file, or a draft that names some: entries that are one
    work under several keys are listed, and the exit status is 1 where there are any. An editor
    can merge them.

    With --format, FILE is a .bib file, which is printed with its fields aligned and in order;
    with --sort its entries are in the order of their keys, too.

    With --verify, FILE is as for --duplicates: entries whose title, authors or year a corpus of
    this machine contradicts under their DOI or arXiv number are listed, and those that no
    corpus knows. The exit status is 1 where an entry is contradicted.

    With --from, the entry of a work that a corpus of this machine has is printed, in the style
    of the .bib file FILE if one is given.
    """
    parser.add_argument(
        "files", nargs="*", type=expanded, metavar="FILE", help="drafts, or .bib files"
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument(
        "--cited-only",
        action="store_true",
        help="print the entries that the drafts cite, byte for byte, with what these need",
    )
    action.add_argument(
        "--duplicates", action="store_true", help="list the works that are in under several keys"
    )
    action.add_argument(
        "--format", action="store_true", help="print a .bib file with its fields aligned, in order"
    )
    action.add_argument(
        "--verify", action="store_true", help="list the entries that a corpus contradicts"
    )
    action.add_argument(
        "--from",
        dest="work",
        metavar="WORK",
        help="print the entry of a work by its DOI, arXiv number or title",
    )
    parser.add_argument(
        "--sort", action="store_true", help="with --format: entries in the order of their keys"
    )
    add_bibliographies(parser)
    parser.add_argument(
        "--output", "-o", type=expanded, metavar="FILE", help="write to this file (standard output)"
    )
    add_json(parser)


def mcp(parser: argparse.ArgumentParser) -> None:
    """Answer a program, such as a writing assistant, on stdio by the Model Context Protocol.

    Its tools are commands of this command line, with the answers that these give as JSON, and
    one that adds an entry to a bibliography that a draft names. Only files in the folders named
    are read or written, with what the drafts there include and cite from. Nothing leaves the
    machine.
    """
    parser.add_argument(
        "folders",
        nargs="*",
        type=expanded,
        metavar="FOLDER",
        help="folders of drafts that may be worked on (the current one)",
    )


AUTO = "auto"
"""The encoder that is chosen by what there is to embed."""
MAX_TOKENS = 128
"""Where texts are cut for the encoder, unless an option or the corpus has another number."""


def index(parser: argparse.ArgumentParser) -> None:
    """Build or update a corpus from files, folders and globs; the format is detected.

    Run again with the same source, it adds new papers, updates changed ones and removes those
    the source no longer has; papers from other sources stay. Without a source, all earlier
    sources are read again. An interrupted run continues when you repeat the command. A new
    corpus gets the accurate encoder if that takes under ten minutes or there is a GPU, else the
    fast one; later runs keep it unless you name another.
    """
    parser.add_argument("sources", metavar="SOURCE", nargs="*", help="file, folder or glob")
    parser.add_argument("--corpus", default="papers", metavar="NAME", help="its name (papers)")
    parser.add_argument(
        "--encoder",
        default=AUTO,
        metavar="NAME",
        help="name or folder of the encoder (auto: the one the corpus has, or what suits its size)",
    )
    parser.add_argument(
        "--engine",
        choices=("usearch", "milvus"),
        default="usearch",
        help="what searches: usearch on this machine, or a Milvus server",
    )
    parser.add_argument(
        "--uri",
        default="",
        metavar="URI",
        help="the Milvus server, https://HOST:PORT, or a file of Milvus Lite",
    )
    parser.add_argument(
        "--vector-index",
        choices=("auto", "hnsw", "ivf_sq8", "diskann"),
        default="auto",
        help="how a new Milvus collection indexes vectors (auto: as the server sees fit)",
    )
    parser.add_argument(
        "--ray",
        default="",
        metavar="ADDRESS",
        help="embed on this Ray cluster, HOST:PORT or auto",
    )
    parser.add_argument(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="where titles and abstracts are cut for the encoder (as the corpus has it, or "
        f"{MAX_TOKENS})",
    )
    parser.add_argument(
        "--replace", action="store_true", help="forget the papers of all other sources"
    )
    parser.add_argument(
        "--wait", action="store_true", help="wait while another process builds this corpus"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument(
        "--json-progress",
        action="store_true",
        help="for programs: tell the progress as JSON, a line each on stderr; give way to others",
    )


def search(parser: argparse.ArgumentParser) -> None:
    """Search the indexed corpora, or bibliographies, by words and by meaning.

    Papers that have all the words, in title, authors and year, stand first. A DOI or an arXiv
    number asks for its paper alone. Where no paper has any of the words, a line says so: what
    is listed then is nearest in meaning.
    """
    parser.add_argument(
        "query", nargs="+", metavar="QUERY", help="words of a title, names, or a whole sentence"
    )
    parser.add_argument(
        "--corpus", metavar="NAME", help="search this one only, or the address of a remote one"
    )
    add_paths(
        parser,
        "--bibliography",
        "-b",
        help="search this file and no corpus; may be given several times",
    )
    parser.add_argument(
        "--years", default="", metavar="YEARS", help="2015-2020, 2015-, -2020, 2015"
    )
    parser.add_argument(
        "--venue", action="append", default=[], metavar="NAME", help="part of a venue's name"
    )
    parser.add_argument("--language", default="", metavar="CODES", help="such as en,zh")
    add_limit(parser, 10, "papers to show")
    add_json(parser)


def corpora(parser: argparse.ArgumentParser) -> None:
    """List the corpora that have been indexed, check that they are whole, or export them.

    `cite-lsp corpora check [NAME…]` compares every file with its checksum, reads every paper,
    and searches for the nearest neighbours of a sample of papers with and without the graph. A
    NAME may be the address of a remote corpus: `list` says whether its server answers and what
    it has, `check` counts its papers too and asks for a sample of them. `cite-lsp corpora
    export NAME --out DIR` writes papers, references and citation contexts as `cite-lsp train`
    reads them.
    """
    parser.add_argument("action", nargs="?", choices=["list", "check", "export"], default="list")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="corpora to list or check (all of this machine), or the one to export; the address "
        "of a remote corpus (milvus+https://HOST:PORT/COLLECTION) asks its server",
    )
    parser.add_argument("--out", type=expanded, metavar="DIR", help="where to export to")
    add_json(parser)


def drafts(parser: argparse.ArgumentParser) -> None:
    """List what is kept of your drafts, learn from those on your disk, or forget it.

    What one draft cites, and beside which words, counts for the next. Drafts that you opened in
    an editor or gave to suggest or check are known already; `cite-lsp drafts add FOLDER` reads
    all that lie in a folder. Checksums of words, vectors and the papers cited are kept, no
    running text (see `otherDrafts` in the settings). `cite-lsp drafts forget FOLDER` removes
    what is kept of them.
    """
    parser.add_argument("action", nargs="?", choices=["list", "add", "forget"], default="list")
    parser.add_argument(
        "paths",
        nargs="*",
        type=expanded,
        metavar="PATH",
        help="drafts, or folders of them, to learn from or to forget",
    )
    add_json(parser)


def models(parser: argparse.ArgumentParser) -> None:
    """List the models that are installed: encoders and rankers, shipped or added by the user."""
    add_json(parser)


def eval(parser: argparse.ArgumentParser) -> None:
    """Measure the recommendations: on labelled contexts, or by masking citations of real drafts."""
    # Imported where needed: no other command knows the tasks, and what they measure.
    from cite_lsp.cli.eval_command import add_arguments

    add_arguments(parser)


def train(parser: argparse.ArgumentParser) -> None:
    """Train a model from a recipe on citation contexts and the papers they cite.

    `cite-lsp train RECIPE --help` lists what a recipe takes.
    """
    # Imported where needed: no other command knows the recipes, and what they train.
    from cite_lsp.cli.train_command import add_arguments

    add_arguments(parser)
