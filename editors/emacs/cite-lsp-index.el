;;; cite-lsp-index.el --- Build corpora of papers with cite-lsp -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Part of cite-lsp.  `cite-lsp-index' has the server build a corpus of the
;; papers in a file or folder, while the writer goes on writing; how far it
;; is stands in the mode line.

;;; Code:

(require 'cite-lsp-request)


(defvar cite-lsp-index-history nil
  "The corpora that were built.")

(defvar cite-lsp--indexing nil
  "The corpus that is being built, and by which server: (NAME . CONNECTION).")

(defun cite-lsp--some (number thing)
  "Return NUMBER and the noun THING, which is in the plural unless there is one."
  (format "%d %s%s" number thing (if (= number 1) "" "s")))

(defun cite-lsp--indexed (summary)
  "Say what came of building a corpus, by its SUMMARY, nil where nothing did."
  (let ((bad (or (plist-get summary :bad_records) 0)))
    (if summary
        (message "cite-lsp: the corpus \"%s\" holds %s%s"
                 (plist-get summary :corpus)
                 (cite-lsp--some (plist-get summary :papers) "paper")
                 (if (zerop bad)
                     ""
                   (format "; %s could not be read" (cite-lsp--some bad "record"))))
      (message "cite-lsp: nothing was indexed"))))

;;;###autoload
(defun cite-lsp-index (source corpus)
  "Have the server build CORPUS of the papers in SOURCE, a file or a folder.
One that exists keeps what it has of other sources, and is brought up to
date.  You can go on writing meanwhile; the mode line tells how far it is."
  (interactive
   (progn
     (cite-lsp--needed-connection)
     (list (read-file-name "Index the papers in: " nil nil t)
           (read-string "Corpus (papers): " nil 'cite-lsp-index-history "papers"))))
  (pcase cite-lsp--indexing
    (`(,name . ,(pred cite-lsp--running-p))
     (user-error "The corpus %s is being built already" name)))
  (let ((end (lambda () (setq cite-lsp--indexing nil))))
    (cite-lsp--execute-later "citeLsp.index"
                             (list (vector (file-local-name (expand-file-name source)))
                                   (list :corpus corpus))
                             (lambda (summary)
                               (funcall end)
                               (cite-lsp--indexed summary))
                             end)
    (setq cite-lsp--indexing (cons corpus (cite-lsp--needed-connection)))
    (message "cite-lsp: indexing %s" corpus)))

(provide 'cite-lsp-index)
;;; cite-lsp-index.el ends here
