;;; cite-lsp-missing.el --- The sentences of a draft that lack a citation -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Part of cite-lsp.  `cite-lsp-missing' lists them with the best paper for
;; each; from the list they are visited, cited and dismissed.

;;; Code:

(require 'cite-lsp-papers)
(require 'cl-lib)
(require 'tabulated-list)


(declare-function cite-lsp-status "cite-lsp")

(defvar-local cite-lsp-missing--draft nil
  "The buffer of the draft whose sentences are listed.")

(defvar cite-lsp-missing-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'cite-lsp-missing-visit)
    (define-key map "o" #'cite-lsp-missing-show)
    (define-key map "a" #'cite-lsp-missing-accept)
    (define-key map "c" #'cite-lsp-missing-choose)
    (define-key map "d" #'cite-lsp-missing-dismiss)
    map)
  "Keys of the list of missing citations.")

(define-derived-mode cite-lsp-missing-mode tabulated-list-mode "Missing citations"
  "The sentences of a draft that lack a citation.
\\{cite-lsp-missing-mode-map}"
  (setq tabulated-list-format [("Line" 6 nil :right-align t)
                               ("Sure" 5 nil)
                               ("Sentence" 60 nil)
                               ("Paper" 0 nil)]
        tabulated-list-padding 1)
  (add-hook 'tabulated-list-revert-hook #'cite-lsp-missing--fill nil t)
  (tabulated-list-init-header))

(defun cite-lsp-missing--entry (place)
  "Return the line for PLACE, an answer of the server on the current buffer."
  (let* ((best (car (plist-get place :recommendations)))
         (start (copy-marker (cite-lsp--point (plist-get (plist-get place :range) :start))))
         (insert (copy-marker (cite-lsp--point (plist-get place :insert)))))
    (list (append (list :start start :marker insert) place)
          (vector (number-to-string (line-number-at-pos start t))
                  (format "%.2f" (or (plist-get place :confidence) 0))
                  (replace-regexp-in-string "[[:space:]]+" " " (plist-get place :text))
                  (if best
                      (concat (cite-lsp-headline best) "  " (plist-get best :title))
                    "")))))

(defun cite-lsp-missing--entries ()
  "Ask the server for the sentences of this buffer and return the lines for them."
  ;; Of a long draft that takes a while.
  (with-temp-message "Looking for sentences that lack a citation..."
    (mapcar #'cite-lsp-missing--entry
            (cite-lsp--execute "citeLsp.missing" (cite-lsp--uri)))))

(defun cite-lsp-missing--fill ()
  "Ask the server for the sentences and list them."
  (setq tabulated-list-entries
        (with-current-buffer (cite-lsp-missing--live-draft)
          (cite-lsp-missing--entries))))

;;;###autoload
(defun cite-lsp-missing ()
  "List the sentences of this draft that lack a citation."
  (interactive)
  (let ((draft (current-buffer))
        (entries (cite-lsp-missing--entries))
        (list (get-buffer-create (format "*Missing citations: %s*" (buffer-name)))))
    (if entries
        (progn
          (with-current-buffer list
            (cite-lsp-missing-mode)
            (setq cite-lsp-missing--draft draft
                  tabulated-list-entries entries)
            (tabulated-list-print))
          (pop-to-buffer list))
      (kill-buffer list)
      ;; Before papers are ranked by meaning, few sentences are sure to lack one.
      (message (if (string-match-p "\\`\\(?:starting\\|preparing\\)" (cite-lsp-status))
                   "The library is still being read; what lacks a citation can be told after that"
                 "No sentence lacks a citation")))))

(defun cite-lsp-missing--live-draft ()
  "Return the buffer of the draft; signal a `user-error' where it is gone."
  (if (buffer-live-p cite-lsp-missing--draft)
      cite-lsp-missing--draft
    (user-error "The draft is not open any more")))

(defun cite-lsp-missing--place ()
  "Return the place of the current line; signal a `user-error' where there is none."
  (cite-lsp-missing--live-draft)
  (or (tabulated-list-get-id) (user-error "There is no sentence on this line")))

(defun cite-lsp-missing-visit ()
  "Go to the sentence of the current line."
  (interactive)
  (let ((place (cite-lsp-missing--place)))
    (pop-to-buffer cite-lsp-missing--draft)
    (push-mark nil t)
    (goto-char (plist-get place :start))))

(defun cite-lsp-missing-show ()
  "Show the sentence of the current line in another window and stay here."
  (interactive)
  (save-selected-window (cite-lsp-missing-visit)))

(defun cite-lsp-missing--cite (place row)
  "Cite the paper of ROW at PLACE and take its line off the list."
  (with-current-buffer cite-lsp-missing--draft
    (cite-lsp-insert (plist-get row :key) (plist-get place :marker)))
  (cite-lsp-missing--drop place))

(defun cite-lsp-missing--drop (place)
  "Take the line of PLACE off the list."
  (setq tabulated-list-entries (cl-delete place tabulated-list-entries :key #'car :test #'eq))
  (tabulated-list-print t))

(defun cite-lsp-missing--rows (place)
  "Return the papers for PLACE; signal a `user-error' where there are none."
  (or (plist-get place :recommendations) (user-error "No paper was found for this sentence")))

(defun cite-lsp-missing-accept ()
  "Cite the best paper in the sentence of the current line."
  (interactive)
  (let ((place (cite-lsp-missing--place)))
    (cite-lsp-missing--cite place (car (cite-lsp-missing--rows place)))))

(defun cite-lsp-missing-choose ()
  "Choose the paper to cite in the sentence of the current line."
  (interactive)
  (let ((place (cite-lsp-missing--place)))
    (cite-lsp-missing--cite place (cite-lsp-read "Cite: " (cite-lsp-missing--rows place)))))

(defun cite-lsp-missing-dismiss ()
  "Never offer the best paper for the sentence of the current line again."
  (interactive)
  (let* ((place (cite-lsp-missing--place))
         (row (car (cite-lsp-missing--rows place))))
    (with-current-buffer cite-lsp-missing--draft
      (save-excursion
        (goto-char (plist-get place :marker))
        (cite-lsp-dismiss (plist-get row :key))))
    (revert-buffer)))

(provide 'cite-lsp-missing)
;;; cite-lsp-missing.el ends here
