;;; cite-lsp-papers.el --- Choose among the papers that cite-lsp recommends -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Part of cite-lsp.  How a recommended paper reads, and the commands that
;; let the writer choose one: `cite-lsp-recommend' and its like.

;;; Code:

(require 'cite-lsp-request)


(defcustom cite-lsp-limit 20
  "How many papers `cite-lsp-recommend' offers."
  :type 'natnum
  :group 'cite-lsp)

(defface cite-lsp-reason '((t :inherit shadow))
  "Why a paper is recommended."
  :group 'cite-lsp)

(defconst cite-lsp--linked-limit 200
  "How many papers are listed that cite another one, or that it cites.")

;;; How a paper reads

(defun cite-lsp-headline (row)
  "Return the authors and year of a recommended ROW, as in \"Devlin et al. 2019\"."
  (or (plist-get row :name) (plist-get row :key)))

(defun cite-lsp--notes (row)
  "Return why ROW is recommended, its corpus included, and its state."
  (string-join
   (delq nil (list (plist-get row :reason)
                   (and (string-empty-p (or (plist-get row :corpus) ""))
                        (plist-member row :inLibrary)
                        (not (plist-get row :inLibrary))
                        "not in the library")
                   (and (plist-get row :cited) "cited here")))
   "; "))

;;; Choosing a paper

(defvar cite-lsp-history nil
  "The papers chosen with `cite-lsp-recommend'.")

(defun cite-lsp--candidates (rows)
  "Return an alist from what a reader sees of each of ROWS to the row."
  (let ((width (apply #'max 0 (mapcar (lambda (row) (string-width (cite-lsp-headline row)))
                                      rows)))
        candidates)
    (dolist (row rows (nreverse candidates))
      (let* ((headline (cite-lsp-headline row))
             (padding (make-string (- width (string-width headline)) ?\s))
             (line (concat headline padding "  " (plist-get row :title))))
        ;; Two papers may read the same; the key tells them apart.
        (push (cons (if (assoc line candidates)
                        (format "%s (%s)" line (plist-get row :key))
                      line)
                    row)
              candidates)))))

(defun cite-lsp-read (prompt rows)
  "Let the user choose one of ROWS, asking PROMPT, and return it."
  (let* ((candidates (cite-lsp--candidates rows))
         (notes (lambda (candidate)
                  (let ((text (cite-lsp--notes (cdr (assoc candidate candidates)))))
                    (if (string-empty-p text)
                        ""
                      (propertize (concat "  " text) 'face 'cite-lsp-reason)))))
         (metadata
          `(metadata (category . cite-lsp-paper)
                     (display-sort-function . identity)
                     (cycle-sort-function . identity)
                     (annotation-function . ,notes)
                     (affixation-function
                      . ,(lambda (shown)
                           (mapcar (lambda (candidate)
                                     (let ((row (cdr (assoc candidate candidates))))
                                       (list candidate
                                             (if (plist-get row :cited) "* " "  ")
                                             (funcall notes candidate))))
                                   shown)))))
         (choice (completing-read
                  prompt
                  (lambda (string predicate action)
                    (if (eq action 'metadata)
                        metadata
                      (complete-with-action action candidates string predicate)))
                  nil t nil 'cite-lsp-history (caar candidates))))
    (cdr (assoc choice candidates))))

(defun cite-lsp--rows ()
  "Return the papers for point; signal a `user-error' where there are none."
  (or (cite-lsp--execute "citeLsp.recommend" (cite-lsp--uri) (cite-lsp--position) cite-lsp-limit)
      (user-error "Nothing to recommend: no sentence here, or no bibliography")))

(defun cite-lsp-insert (key &optional point)
  "Cite KEY at POINT, by default at the cursor.
It goes into the citation there, or else to the end of the sentence."
  (interactive (list (read-string "Key: ")))
  (unless (cite-lsp--execute "citeLsp.insert" (cite-lsp--uri) (cite-lsp--position point) key)
    (user-error "No citation of %s can go there, or there is one already" key)))

;;;###autoload
(defun cite-lsp-recommend ()
  "Choose among the papers for point, and cite the one chosen.
It goes into the citation there, or else to the end of the sentence."
  (interactive)
  (let ((place (point-marker))
        (row (cite-lsp-read "Cite: " (cite-lsp--rows))))
    (cite-lsp-insert (plist-get row :key) place)))

(defun cite-lsp--cite-linked (command says none)
  "Choose among the papers that COMMAND links to the one at point, and cite one.
SAYS is the prompt, with the key and two numbers; NONE is said of a key that
has no such papers."
  (let* ((place (point-marker))
         (found (cite-lsp--execute command (cite-lsp--uri) (cite-lsp--position)
                                   cite-lsp--linked-limit))
         (key (plist-get found :key)))
    (unless found
      (user-error "No key here, or no corpus knows its citations"))
    (unless (plist-get found :papers)
      (user-error none key))
    (let ((row (cite-lsp-read (format says key (plist-get found :total)
                                      (plist-get found :inLibrary))
                              (plist-get found :papers))))
      (cite-lsp-insert (plist-get row :key) place))))

;;;###autoload
(defun cite-lsp-citing ()
  "Choose among the papers that the one at point cites, as far as corpora know.
The one chosen is cited beside it."
  (interactive)
  (cite-lsp--cite-linked "citeLsp.citing" "%s cites %d, %d of them in the library: "
                         "No corpus knows what %s cites"))

;;;###autoload
(defun cite-lsp-cited-by ()
  "Choose among the papers that cite the one at point, as far as corpora know.
The one chosen is cited beside it."
  (interactive)
  (cite-lsp--cite-linked "citeLsp.citedBy" "%s is cited by %d, %d of them in the library: "
                         "No corpus knows what cites %s"))

;;;###autoload
(defun cite-lsp-add-entry (key)
  "Add the entry of KEY, which stands elsewhere, to the bibliography of the draft."
  (interactive (list (plist-get (cite-lsp-read "Add: " (cite-lsp--rows)) :key)))
  (unless (cite-lsp--execute "citeLsp.addEntry" (cite-lsp--uri) key)
    (user-error "There is no entry %s to add" key)))

;;;###autoload
(defun cite-lsp-dismiss (key)
  "Never offer KEY for the sentence at point again."
  (interactive (list (plist-get (cite-lsp-read "Never suggest here: " (cite-lsp--rows)) :key)))
  (unless (cite-lsp--execute "citeLsp.dismiss" (cite-lsp--uri) (cite-lsp--position) key)
    (user-error "%s could not be dismissed here" key)))

(defun cite-lsp-restore (key)
  "Offer KEY for the sentence at point again after `cite-lsp-dismiss'."
  (interactive (list (read-string "Key: ")))
  (unless (cite-lsp--execute "citeLsp.restore" (cite-lsp--uri) (cite-lsp--position) key)
    (user-error "%s was not dismissed here" key)))

(provide 'cite-lsp-papers)
;;; cite-lsp-papers.el ends here
