"""In a real Emacs, with eglot and with lsp-mode: completion, code actions, the commands."""

from __future__ import annotations

import json

import pytest

from tests.editors.conftest import CHINESE
from tests.editors.corpora import index_citations
from tests.editors.emacs import Emacs
from tests.editors.rows import row_of_a_corpus

SENTENCE = (
    "the training data, until words came to be described by the pieces of spelling they are made of"
)


def test_words_of_a_title_find_a_paper_and_the_first_is_taken(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "alike, whether labels are plenty or few \\citep{")
        (insert "pretrain")
        (seen "listed" (complete-first))
        (seen "line" (line))
    """)
    assert "Gururangan et al. 2020" in seen["listed"]
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."


def test_chinese_and_emoji_before_the_cursor_move_nothing(emacs: Emacs) -> None:
    seen = emacs.play(
        r"""
        (go-behind "bidirectional encoder [@")
        (insert "双向 😀")
        (delete-char -4)
        (insert "bert")
        (seen "listed" (complete-first))
        (seen "line" (line))
    """,
        draft="notes.md",
    )
    assert seen["line"] == (
        "深度学习 😀 双向编码器 masked words are predicted "
        "by a bidirectional encoder [@devlin2019bert]."
    )


def test_the_rest_of_an_old_key_goes_when_another_is_taken(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "\\citep{devlin2")
        (delete-char -7)
        (insert "scibert")
        (complete-first)
        (seen "line" (line))
    """)
    assert seen["line"].startswith(r"\citep{beltagy2019scibert}, and a version")


def test_a_key_that_is_typed_before_another_one_comes_with_a_comma(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "\\citep{")
        (insert "scibert")
        (complete-first)
        (seen "line" (line))
    """)
    assert r"\citep{beltagy2019scibert,bhagavatula2018content}" in seen["line"]


def test_typing_on_in_the_text_asks_again(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "alike, whether labels are plenty or few \\citep{")
        (let* ((found (cite-lsp-completion-at-point))
               (start (nth 0 found)) (table (nth 2 found))
               (listed (lambda ()
                         (all-completions (buffer-substring start (point)) table))))
          (seen "first" (vconcat (funcall listed)))
          (insert "faithful")
          (seen "followed" (vconcat (funcall listed)))
          (seen "elsewhere" (vconcat (all-completions "faithful abstr" table))))
    """)
    assert seen["first"][0] == "gururangan2020dont"
    assert seen["followed"][0] != seen["first"][0]
    assert seen["elsewhere"] == ["maynez2020faithfulness"]


def test_outside_of_citations_others_complete(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "Rare words deserve a remark.")
        (seen "found" (cite-lsp-completion-at-point))
    """)
    assert seen["found"] is None


def test_the_key_that_completes_spellings_in_text_modes_completes_a_citation(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (cl-letf (((symbol-function 'ispell-complete-word)
                   (lambda () (interactive) (insert "SPELLED"))))
          (let ((command (or (command-remapping 'ispell-complete-word) 'ispell-complete-word)))
            (go-behind "Rare words deserve a remark.")
            (call-interactively command)
            (seen "elsewhere" (line))
            (go-behind "alike, whether labels are plenty or few \\citep{")
            (insert "pretraining adapt")
            (call-interactively command)
            (seen "line" (line))))
    """)
    assert seen["elsewhere"].count("SPELLED") == 1
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."


def test_a_code_action_cites_the_sentence(emacs: Emacs) -> None:
    act = {
        "eglot": """
            (cl-letf (((symbol-function 'completing-read)
                       (lambda (_ titles &rest _)
                         (let ((all (all-completions "" titles)))
                           (seen "titles" (vconcat all))
                           (car all)))))
              (eglot-code-actions (point) nil nil t))
        """,
        "lsp-mode": """
            (let ((actions (append (lsp-code-actions-at-point) nil)))
              (seen "titles" (vconcat (mapcar #'lsp:code-action-title actions)))
              (lsp-execute-code-action (car actions)))
        """,
    }[emacs.client]
    seen = emacs.play(rf"""
        (go-behind "{SENTENCE}")
        {act}
        (seen "line" (line))
        (save-buffer)
    """)
    assert "Bojanowski" in seen["titles"][0]
    assert "Add missing citations" in " ".join(seen["titles"])
    assert seen["line"] == SENTENCE + r" \citep{bojanowski2017enriching}."
    assert seen["line"] in (emacs.folder / "paper.tex").read_text(encoding="utf-8")


def test_each_sentence_takes_the_chosen_method_of_its_language(emacs: Emacs) -> None:
    (emacs.folder / "论文.md").write_text(CHINESE, encoding="utf-8")
    for name, place, said in (
        ("paper.tex", r"alike, whether labels are plenty or few \\citep{", "(phase 2: 0."),
        ("论文.md", "[@", "跨语言相近"),
    ):
        seen = emacs.play(
            rf"""
            (go-behind "{place}")
            (let* ((found (cite-lsp-completion-at-point))
                   (listed (all-completions "" (nth 2 found)))
                   (document (plist-get (nthcdr 3 found) :company-doc-buffer)))
              (seen "card" (with-current-buffer (funcall document (car listed))
                             (buffer-string))))
            """,
            draft=name,
            before='(setq cite-lsp-settings \'(:method ["two-phase" "blsrec-2"]))',
        )
        assert said in seen["card"]


def test_the_chooser_shows_author_year_title_and_reason_and_cites(emacs: Emacs) -> None:
    seen = emacs.play(
        r"""
        (go-behind "described by the pieces")
        (setq cite-lsp-limit 3)
        (choosing #'car (cite-lsp-recommend))
        (seen "line" (line))
    """,
        draft="notes.md",
    )
    assert len(seen["offered"]) == 3
    first = seen["offered"][0].strip()
    assert first.startswith("Bojanowski et al. 2017  Enriching Word Vectors with Subword")
    assert (
        first.partition("Information")[2]
        .strip()
        .startswith("closest in your library to the text here")
    )
    assert seen["category"] == "cite-lsp-paper"
    assert seen["line"].endswith("they are made of [@bojanowski2017enriching].")


def test_what_cites_a_paper_is_chosen_from_and_cited_beside_it(emacs: Emacs) -> None:
    index_citations(emacs.environment, emacs.folder / "references.bib")
    seen = emacs.play(
        r"""
        (goto-char (point-max))
        (insert "\nPieces of spelling help [@bojanowski2017enriching].")
        (go-behind "[@bojanowski2017")
        (choosing #'cadr (cite-lsp-cited-by))
        (seen "line" (line))
        (seen "none" (condition-case problem (cite-lsp-citing)
                       (user-error (error-message-string problem))))
    """,
        draft="notes.md",
    )
    assert [paper.strip().split("  ")[0] for paper in seen["offered"]] == [
        "Devlin et al. 2019",
        "Moor 2021",
    ]
    assert seen["line"].startswith("Pieces of spelling help [@bojanowski2017enriching; @moor2021")
    assert seen["none"] == "No corpus knows what bojanowski2017enriching cites"


def test_what_the_draft_should_cite_is_listed_gone_to_and_cited(emacs: Emacs) -> None:
    index_citations(emacs.environment, emacs.folder / "references.bib")
    seen = emacs.play(
        r"""
        (let ((draft (current-buffer)) before)
          (cite-lsp-references)
          (seen "mode" (symbol-name major-mode))
          (seen "list" (buffer-string))
          (search-forward "line ")
          (save-current-buffer
            (save-selected-window
              (cite-lsp-references-visit)
              (seen "gone-to" (line-number-at-pos))
              (seen "in-draft" (if (eq (current-buffer) draft) "yes" "no"))))
          (with-current-buffer draft (setq before (buffer-string)))
          (cite-lsp-references-cite)
          (seen "after" (buffer-string))
          (with-current-buffer draft
            (seen "cited" (if (equal before (buffer-string)) "no" "yes")))
          (goto-char (point-min))
          (seen "none" (condition-case problem (cite-lsp-references-cite)
                         (user-error (error-message-string problem)))))
    """,
        draft="notes.md",
    )
    assert seen["mode"] == "cite-lsp-references-mode"
    assert "Cited elsewhere: “Pieces of words carry much of their meaning […]" in seen["list"]
    line = seen["list"].partition("line ")[2].partition(":")[0]
    assert (seen["gone-to"], seen["in-draft"]) == (int(line), "yes")
    assert "✓ " in seen["after"] and seen["cited"] == "yes"
    assert seen["none"] == "There is no paper on this line"


def test_what_is_taken_from_elsewhere_gets_its_entry(emacs: Emacs) -> None:
    other = emacs.folder.parent / "other.bib"
    other.write_text(
        "@article{shannon1948theory,\n  author = {Shannon, Claude E.},\n"
        "  title = {A Mathematical Theory of Communication},\n  year = {1948},\n}\n",
        encoding="utf-8",
    )
    seen = emacs.play(
        r"""
        (go-behind "alike, whether labels are plenty or few \\citep{")
        (insert "mathematical theory")
        (complete-first)
        (seen "line" (line))
        (wait-until "the entry" (lambda ()
          (with-current-buffer (find-file-noselect "references.bib")
            (save-excursion (goto-char (point-min)) (search-forward "shannon1948theory" nil t)))))
        (save-some-buffers t)
    """,
        before=f"(setq cite-lsp-settings '(:bibliography [{json.dumps(str(other))}]))",
    )
    assert seen["line"].endswith(r"\citep{shannon1948theory}.")
    library = (emacs.folder / "references.bib").read_text(encoding="utf-8")
    assert library.count("@article{shannon1948theory,") == 1


def test_the_list_of_missing_citations_jumps_and_accepts(emacs: Emacs) -> None:
    seen = emacs.play(
        r"""
        (let ((draft (current-buffer)))
          (cite-lsp-missing)
          (seen "list" (buffer-string))
          (goto-char (point-min))
          (search-forward "Siamese")
          (let ((list (current-buffer)))
            (cite-lsp-missing-visit)
            (seen "line" (line))
            (set-buffer list))
          (cite-lsp-missing-accept)
          (seen "left" (buffer-string))
          (search-forward "深度学习 😀 双向编码器")
          (choosing #'car (cite-lsp-missing-choose))
          (seen "text" (with-current-buffer draft (buffer-string))))
    """,
        draft="notes.md",
    )
    assert "Reimers and Gurevych 2019  Sentence-BERT" in seen["list"]
    assert seen["line"].startswith("Siamese training makes sentence vectors")
    assert "can be trusted [@reimers2019sentence]." in seen["text"]
    assert "Siamese training" not in seen["left"]
    chosen = seen["offered"][0].split()[0]
    assert f"bidirectional encoder [@{chosen.lower()}" in seen["text"]


def test_the_list_of_missing_citations_is_waited_for_longer_than_the_clients_wait(
    emacs: Emacs,
) -> None:
    seen = emacs.play(r"""
        (setq jrpc-default-request-timeout 0.1
              lsp-response-timeout 0.1)
        (cite-lsp-missing)
        (seen "listed" (length tabulated-list-entries))
        (kill-buffer "paper.tex")
        (seen "gone" (condition-case err (progn (revert-buffer) "") (user-error (cadr err))))
    """)
    assert seen["listed"] > 0
    assert seen["gone"] == "The draft is not open any more"


def test_that_nothing_is_missing_is_said_only_once_the_library_is_read(emacs: Emacs) -> None:
    (emacs.folder / "empty.tex").write_text("\\documentclass{article}\n", encoding="utf-8")
    seen = emacs.play(
        r"""
        (cl-letf* ((said nil) ((symbol-function 'message) (lambda (text &rest _) (setq said text))))
          (dolist (state '("preparing" "ready"))
            (cite-lsp--told (cdr (cite-lsp--connection)) state "")
            (cite-lsp-missing)
            (seen state said)))
    """,
        draft="empty.tex",
    )
    assert seen["preparing"].startswith("The library is still being read")
    assert seen["ready"] == "No sentence lacks a citation"


def test_beside_texlab_a_key_is_listed_once(emacs: Emacs) -> None:
    if emacs.client == "eglot":
        pytest.skip("eglot runs one server in a buffer")
    other = json.dumps([emacs.server[0], "-m", "tests.editors.other_server"]).strip("[]")
    other = other.replace(",", " ")
    seen = emacs.play(
        r"""
        (wait-until "both servers" (lambda ()
          (= 2 (seq-count (lambda (one) (eq 'initialized (lsp--workspace-status one)))
                          (lsp-workspaces)))))
        (seen "servers" (vconcat (mapcar (lambda (one) (symbol-name (lsp--workspace-server-id one)))
                                         (lsp-workspaces))))
        (go-behind "alike, whether labels are plenty or few \\citep{")
        (insert "guru")
        (pcase-let ((`(,start ,_ ,table . ,_)
                     (run-hook-wrapped 'completion-at-point-functions
                                       (lambda (function) (funcall function)))))
          (seen "inside" (vconcat (mapcar #'substring-no-properties
            (all-completions (buffer-substring start (point)) table)))))
        (seen "both" (vconcat (mapcar (lambda (item) (gethash "label" item))
          (gethash "items" (lsp-request "textDocument/completion"
                                        (lsp--text-document-position-params))))))
    """,
        before=f"""
        (require 'lsp-mode)
        (lsp-register-client
         (make-lsp-client :new-connection (lsp-stdio-connection '({other}))
                          :major-modes '(latex-mode tex-mode)
                          :server-id 'stand-in))
    """,
    )
    assert sorted(seen["servers"]) == ["cite-lsp", "stand-in"]
    assert seen["inside"].count("gururangan2020dont") == 1
    assert "gururangan2020dont" in seen["both"], "without this package it would be there as well"


def test_lsp_mode_is_started_once_in_a_buffer(emacs: Emacs) -> None:
    if emacs.client == "eglot":
        pytest.skip("eglot looks itself whether it runs already")
    seen = emacs.play(
        '(seen "started" starts)',
        before="""
        (require 'lsp-mode)
        (defvar starts 0)
        (advice-add 'lsp-deferred :before (lambda () (setq starts (1+ starts))))
    """,
    )
    assert seen["started"] == 1


def test_a_server_that_eglot_starts_anew_takes_the_place_of_the_old_one(emacs: Emacs) -> None:
    if emacs.client == "lsp-mode":
        pytest.skip("lsp-mode tells which server a buffer has without looking for one")
    seen = emacs.play(r"""
        (let ((first (eglot-current-server)))
          (eglot-reconnect first)
          (ready)
          (seen "new" (not (eq first (cdr (cite-lsp--connection)))))
          (go-behind "alike, whether labels are plenty or few \\citep{")
          (insert "pretraining adapt")
          (complete-first)
          (seen "line" (line))
          (eglot-shutdown (eglot-current-server))
          (seen "status" (cite-lsp-status))
          (seen "mode" cite-lsp-mode))
    """)
    assert seen["new"] is True
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."
    assert (seen["status"], seen["mode"]) == ("not running", None)


def test_which_corpus_a_paper_is_from_is_said_once(emacs: Emacs) -> None:
    row = json.dumps(json.dumps(row_of_a_corpus("arx")))
    seen = emacs.play(f"""
        (seen "notes" (cite-lsp--notes
                       (json-parse-string {row} :object-type 'plist :false-object nil)))
    """)
    assert seen["notes"] == "from the corpus “arx”, not in your library"


def test_a_dismissed_paper_is_not_offered_until_it_is_restored(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "described by the pieces")
        (let ((first (lambda () (plist-get (car (cite-lsp--rows)) :key))))
          (seen "before" (funcall first))
          (cite-lsp-dismiss "bojanowski2017enriching")
          (seen "after" (funcall first))
          (cite-lsp-restore "bojanowski2017enriching")
          (seen "again" (funcall first)))
    """)
    assert seen["before"] == seen["again"] == "bojanowski2017enriching"
    assert seen["after"] not in ("bojanowski2017enriching", None)


def test_org_drafts_are_completed_too(emacs: Emacs) -> None:
    (emacs.folder / "draft.org").write_text(
        "#+bibliography: references.bib\n\n深度学习 😀 bidirectional encoders [cite:@].\n",
        encoding="utf-8",
    )
    seen = emacs.play(
        '(go-behind "[cite:@") (insert "bert") (complete-first) (seen "line" (line))',
        draft="draft.org",
    )
    assert seen["line"] == "深度学习 😀 bidirectional encoders [cite:@devlin2019bert]."


def test_another_mode_is_added_before_the_setup(emacs: Emacs) -> None:
    (emacs.folder / "draft.typ").write_text(
        '= Encoders\n\nBidirectional encoders @\n\n#bibliography("references.bib")\n',
        encoding="utf-8",
    )
    seen = emacs.play(
        '(go-behind "encoders @") (insert "bert") (complete-first) (seen "line" (line))',
        draft="draft.typ",
        before="""
        (define-derived-mode typst-ts-mode text-mode "Typst")
        (add-to-list 'auto-mode-alist '("\\\\.typ\\\\'" . typst-ts-mode))
        (add-to-list 'cite-lsp-modes 'typst-ts-mode)
    """,
    )
    assert seen["line"] == "Bidirectional encoders @devlin2019bert"
    assert "Unable to calculate the languageId" not in seen["stderr"]


@pytest.mark.parametrize("first", ["plain2018", "DBLP:conf/naacl/Devlin19"])
@pytest.mark.parametrize("taken", ["plain2018", "DBLP:conf/naacl/Devlin19"])
def test_a_key_that_no_sign_of_typst_can_hold_takes_the_place_of_both_signs(
    emacs: Emacs, first: str, taken: str
) -> None:
    """Whichever comes first in a list with one that can stand between them."""
    titles = {key: "Lives of wombats" for key in ("plain2018", "DBLP:conf/naacl/Devlin19")}
    titles[first] = "Bidirectional encoders of wombats"
    (emacs.folder / "odd.bib").write_text(
        "".join(f"@misc{{{key}, title={{{title}}}}}\n" for key, title in titles.items()),
        encoding="utf-8",
    )
    (emacs.folder / "draft.typ").write_text(
        '= Encoders\n\nBidirectional encoders #cite(<>), of course\n\n#bibliography("odd.bib")\n',
        encoding="utf-8",
    )
    seen = emacs.play(
        f"""(go-behind "encoders #cite(<") (insert "wombats")
            (pcase-let ((`(,start ,end ,table . ,more) (cite-lsp-completion-at-point)))
              (let ((listed (all-completions "" table)))
                (seen "first" (car listed))
                (let ((key (seq-find (lambda (one) (string-match-p "{taken}" one)) listed)))
                  (delete-region start end)
                  (insert key)
                  (funcall (plist-get more :exit-function) key 'finished))))
            (seen "line" (line))""",
        draft="draft.typ",
        before="""
        (define-derived-mode typst-ts-mode text-mode "Typst")
        (add-to-list 'auto-mode-alist '("\\\\.typ\\\\'" . typst-ts-mode))
        (add-to-list 'cite-lsp-modes 'typst-ts-mode)
    """,
    )
    assert first in seen["first"]
    written = f'label("{taken}")' if "/" in taken else f"<{taken}>"
    assert seen["line"] == f"Bidirectional encoders #cite({written}), of course"


def test_papers_are_indexed_while_the_writer_goes_on(emacs: Emacs) -> None:
    papers = emacs.folder / "my papers.jsonl"
    rows = [{"id": f"p{n}", "title": f"Tides {n}", "abstract": f"Shore {n}."} for n in range(40)]
    papers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    seen = emacs.play(r"""
        (let (said states)
          (cl-letf (((symbol-function 'message)
                     (lambda (format &rest rest) (push (apply #'format format rest) said))))
            (cite-lsp-index "my papers.jsonl" "tides")
            (insert "x")
            (seen "again" (condition-case problem (cite-lsp-index "." "other")
                            (user-error (error-message-string problem))))
            (wait-until "the summary" (lambda ()
              (push (cite-lsp--lighter) states)
              (seq-find (lambda (text) (string-match-p "holds" text)) said))))
          (seen "said" (vconcat said))
          (seen "states" (vconcat states))
          (ready))
    """)
    assert 'cite-lsp: the corpus "tides" holds 40 papers' in seen["said"]
    assert seen["again"] == "The corpus tides is being built already"
    assert any("Cite:indexing (tides: " in state for state in seen["states"])


@pytest.mark.parametrize("leave", ["(kill-buffer)", "(signal-process (server-process) 9)"])
def test_a_corpus_can_be_built_after_the_draft_or_the_server_of_the_last_one_is_gone(
    emacs: Emacs, leave: str
) -> None:
    papers = emacs.folder / "papers.jsonl"
    papers.write_text('{"id": "p", "title": "Tides", "abstract": "Shore."}\n', encoding="utf-8")
    seen = emacs.play(rf"""
        (defun server-process ()
          (pcase (cite-lsp--connection)
            (`(eglot . ,server) (jsonrpc--process server))
            (`(lsp-mode . ,workspace) (lsp--workspace-cmd-proc workspace))))
        (setq lsp-keep-workspace-alive t)
        (cite-lsp-index "papers.jsonl" "ebb")
        {leave}
        (sleep-for 1)
        (find-file "paper.tex")
        (unless (cite-lsp--connection)
          (pcase '{emacs.client} ('eglot (call-interactively #'eglot)) ('lsp-mode (lsp))))
        (ready)
        (let (said)
          (cl-letf (((symbol-function 'message)
                     (lambda (format &rest rest)
                       (push (if format (apply #'format format rest) "") said))))
            (wait-until "the end of the first"
                        (lambda () (ignore-errors (cite-lsp-index "papers.jsonl" "flood") t)) 20)
            (seen "said" (wait-until "the summary" (lambda ()
              (seq-find (lambda (text) (string-match-p "flood.* holds" text)) said))))))
    """)
    assert seen["said"] == 'cite-lsp: the corpus "flood" holds 1 paper'


def test_what_cannot_be_indexed_is_reported(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (let (said)
          (cl-letf (((symbol-function 'message)
                     (lambda (format &rest rest)
                       (push (if format (apply #'format format rest) "") said))))
            (cite-lsp-index "gone.jsonl" "tides")
            (wait-until "the end" (lambda () (not cite-lsp--indexing))))
          (seen "said" (vconcat said)))
    """)
    assert "cite-lsp: nothing was indexed" in seen["said"]


def test_of_a_file_on_another_machine_the_server_is_looked_for_there(emacs: Emacs) -> None:
    for place in ("here", "there"):
        program = emacs.folder.parent / place / "cite-lsp"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
    seen = emacs.play(rf"""
        (require 'tramp)
        (add-to-list 'tramp-methods
                     '("there" (tramp-login-program "sh") (tramp-login-args (("-i")))
                       (tramp-remote-shell "/bin/sh") (tramp-remote-shell-args ("-c"))))
        (setq tramp-verbose 0
              exec-path (list "{emacs.folder.parent}/here")
              tramp-remote-path (list "{emacs.folder.parent}/there" "/usr/bin" "/bin")
              cite-lsp-command '("cite-lsp" "serve"))
        (seen "here" (car (cite-lsp--command)))
        (let ((default-directory (concat "/there:localhost:" default-directory)))
          (seen "there" (car (cite-lsp--command)))
          (setq cite-lsp-command '("cite-lsp-of-nowhere" "serve"))
          (seen "nowhere" (car (cite-lsp--command))))
    """)
    assert seen["here"] == str(emacs.folder.parent / "here" / "cite-lsp")
    assert seen["there"] == str(emacs.folder.parent / "there" / "cite-lsp")
    assert seen["nowhere"] == "cite-lsp-of-nowhere"


def test_papers_on_another_machine_are_indexed_under_their_name_there(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (cl-letf (((symbol-function 'cite-lsp--execute-later)
                   (lambda (_command arguments &rest _) (seen "sources" (car arguments)))))
          (cite-lsp-index "/ssh:ada@there:/home/ada/papers" "tides"))
    """)
    assert seen["sources"] == ["/home/ada/papers"]


def test_without_a_server_a_command_says_what_to_do(emacs: Emacs) -> None:
    seen = emacs.play("""
        (with-temp-buffer
          (seen "message" (condition-case problem (cite-lsp-recommend)
                            (user-error (error-message-string problem)))))
    """)
    assert seen["message"].startswith("No cite-lsp server in this buffer; try")
