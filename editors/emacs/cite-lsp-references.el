;;; cite-lsp-references.el --- What a draft as a whole should cite -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Part of cite-lsp.  `cite-lsp-references' lists what a draft as a whole should
;; cite and does not; from the list the places are visited, and papers cited.

;;; Code:

(require 'cite-lsp-papers)
(require 'url-util)


(defvar-local cite-lsp-references--draft nil
  "The buffer of the draft whose papers are listed.")

(defvar cite-lsp-references-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'cite-lsp-references-visit)
    (define-key map "a" #'cite-lsp-references-add)
    (define-key map "c" #'cite-lsp-references-cite)
    map)
  "Keys of the list of papers for a draft.")

(define-derived-mode cite-lsp-references-mode special-mode "Papers for a draft"
  "What a draft as a whole should cite and does not.
\\{cite-lsp-references-mode-map}"
  (setq-local revert-buffer-function
              (lambda (&rest _)
                (with-current-buffer (cite-lsp-references--live-draft)
                  (cite-lsp-references)))))

(defun cite-lsp-references--insert (paper)
  "Insert what there is to say of PAPER, an object of the server's answer."
  (let ((start (point))
        (place (plist-get paper :place))
        (quoted (plist-get paper :quoted)))
    (insert "  " (cite-lsp-headline paper) "  " (plist-get paper :title) "\n")
    (dolist (reason (plist-get paper :reasons))
      (insert "      " (propertize reason 'face 'cite-lsp-reason) "\n"))
    (unless (member quoted '(nil ""))
      (insert "      " quoted "\n"))
    (when place
      (insert (format "      line %d: %s\n" (1+ (plist-get place :line))
                      (plist-get place :sentence))))
    (put-text-property start (point) 'cite-lsp-paper paper)))

(defun cite-lsp-references--print (found)
  "Print FOUND, the server's answer, into this buffer."
  (let ((inhibit-read-only t)
        (complete (plist-get found :completeness)))
    (erase-buffer)
    (dolist (group (plist-get found :groups))
      (insert (propertize (plist-get group :name) 'face 'bold) "\n")
      (mapc #'cite-lsp-references--insert (plist-get group :papers))
      (insert "\n"))
    (when (> (plist-get complete :of) 0)
      (insert (format "%d of the %d papers that at least %d of the %d papers nearest to this draft \
cite are cited here\n"
                      (plist-get complete :cited) (plist-get complete :of)
                      (plist-get complete :fewest) (plist-get complete :nearest))))
    (goto-char (point-min))
    (forward-line 1)))

;;;###autoload
(defun cite-lsp-references ()
  "List what this draft as a whole should cite and does not."
  (interactive)
  (let* ((draft (current-buffer))
         (found (with-temp-message "Looking for papers for this draft..."
                  (cite-lsp--execute "citeLsp.references" (list :uri (cite-lsp--uri))))))
    (unless (plist-get found :groups)
      (user-error "Nothing is left to cite, as far as the library and the corpora know"))
    (let ((list (get-buffer-create (format "*Papers for %s*" (buffer-name)))))
      (with-current-buffer list
        (cite-lsp-references-mode)
        (setq cite-lsp-references--draft draft)
        (cite-lsp-references--print found))
      (pop-to-buffer list))))

(defun cite-lsp-references--live-draft ()
  "Return the buffer of the draft; signal a `user-error' where it is gone."
  (if (buffer-live-p cite-lsp-references--draft)
      cite-lsp-references--draft
    (user-error "The draft is not open any more")))

(defun cite-lsp-references--paper ()
  "Return the paper of the current line; signal a `user-error' where there is none."
  (or (get-text-property (line-beginning-position) 'cite-lsp-paper)
      (user-error "There is no paper on this line")))

(defun cite-lsp-references-visit ()
  "Go to the sentence that the paper of the current line would go to."
  (interactive)
  (let ((place (or (plist-get (cite-lsp-references--paper) :place)
                   (user-error "No sentence is near to this paper")))
        (draft (cite-lsp-references--live-draft)))
    (let* ((uri (plist-get place :uri))
           (file (with-current-buffer draft
                   (unless (equal uri (cite-lsp--uri))
                     (url-unhex-string (string-remove-prefix "file://" uri) t)))))
      (if file (find-file-other-window (decode-coding-string file 'utf-8)) (pop-to-buffer draft)))
    (push-mark nil t)
    (goto-char (point-min))
    (forward-line (plist-get place :line))
    (when (cite-lsp--connection)
      (goto-char (cite-lsp--point place)))))

(defun cite-lsp-references--run (what)
  "Have the server do with the paper of the current line WHAT its answer names."
  (let* ((paper (cite-lsp-references--paper))
         (command (plist-get paper what))
         (start (line-beginning-position)))
    (unless (and command
                 (with-current-buffer (cite-lsp-references--live-draft)
                   (apply #'cite-lsp--execute (plist-get command :command)
                          (plist-get command :arguments))))
      (user-error "%s has that already, or there is no place for it" (plist-get paper :key)))
    (while (eq (get-text-property (max (point-min) (1- start)) 'cite-lsp-paper) paper)
      (setq start (1- start)))
    (let ((inhibit-read-only t))
      (save-excursion
        (goto-char start)
        (when (looking-at-p "  ")
          (insert-and-inherit "✓ ")
          (put-text-property start (point) 'cite-lsp-paper paper)
          (delete-char 2))))))

(defun cite-lsp-references-add ()
  "Add the entry of the paper of the current line to the draft's bibliography."
  (interactive)
  (cite-lsp-references--run :add))

(defun cite-lsp-references-cite ()
  "Cite the paper of the current line where it would go."
  (interactive)
  (cite-lsp-references--run :cite))

(provide 'cite-lsp-references)
;;; cite-lsp-references.el ends here
