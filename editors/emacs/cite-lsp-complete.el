;;; cite-lsp-complete.el --- Complete citations with cite-lsp -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Part of cite-lsp.  The server has chosen and ordered the papers for what
;; is typed, words of a title included.  Emacs would keep those alone whose
;; key starts with it, so they come with a completion style of their own that
;; keeps them all, and are asked for again when the text has changed.

;;; Code:

(require 'cite-lsp-request)


(defun cite-lsp--ask-for-items ()
  "Return the completion items at point as they came.
There are none where no citation is being written."
  (when-let* ((connection (cite-lsp--connection))
              (answer (cite-lsp--request connection "textDocument/completion"
                                         (list :textDocument (list :uri (cite-lsp--uri))
                                               :position (cite-lsp--position)
                                               :context '(:triggerKind 1))
                                         t)))
    (append (if (vectorp answer) answer (cite-lsp--get answer "items")) nil)))

(defun cite-lsp--edit (item)
  "Return the new text of ITEM and the range it is for, (TEXT START . END)."
  (let* ((edit (cite-lsp--plain (cite-lsp--get item "textEdit")))
         (range (or (plist-get edit :range) (plist-get edit :replace))))
    (cons (plist-get edit :newText)
          (cons (cite-lsp--point (plist-get range :start))
                (cite-lsp--point (plist-get range :end))))))

(defun cite-lsp--annotation (key item)
  "Return the authors, year and title in ITEM, which is the one for KEY."
  (let ((details (cite-lsp--plain (cite-lsp--get item "labelDetails"))))
    (if details
        (concat " " (plist-get details :detail) "  " (plist-get details :description))
      ;; Before another key of a list it comes with a comma.
      (concat "  " (string-trim (string-remove-prefix
                                 (replace-regexp-in-string ",[[:space:]]*\\'" "" key)
                                 (cite-lsp--get item "label")))))))

(defun cite-lsp--end-of (item)
  "Return the character of its line up to which ITEM puts its key."
  (let ((edit (cite-lsp--plain (cite-lsp--get item "textEdit"))))
    (plist-get (plist-get (or (plist-get edit :range) (plist-get edit :replace)) :end)
               :character)))

(defun cite-lsp--proxies (items)
  "Return the keys of ITEMS, each with its item as text property `cite-lsp-item'.
The property `cite-lsp-more' is how many characters more than all of them it
puts its key in the place of."
  (when items
    (let ((least (seq-min (mapcar #'cite-lsp--end-of items))))
      (mapcar (lambda (item)
                (propertize (cite-lsp--get (cite-lsp--get item "textEdit") "newText")
                            'cite-lsp-item item
                            'cite-lsp-more (- (cite-lsp--end-of item) least)))
              items))))

(defun cite-lsp--with-words (proxies string)
  "Return those of PROXIES that have every word of STRING in what they show."
  (let ((words (mapcar #'regexp-quote (split-string string)))
        (case-fold-search t))
    (seq-filter (lambda (proxy)
                  (let* ((item (get-text-property 0 'cite-lsp-item proxy))
                         (text (concat proxy (cite-lsp--annotation proxy item))))
                    (seq-every-p (lambda (word) (string-match-p word text)) words)))
                proxies)))

(defun cite-lsp--table (start end proxies)
  "Return the completion table, so far of PROXIES, of the key from START to END."
  (let* ((buffer (current-buffer))
         (typed (buffer-substring-no-properties start (point)))
         (rest (buffer-substring-no-properties (point) end))
         (tick (buffer-chars-modified-tick))
         (current
          (lambda (string)
            (with-current-buffer buffer
              (unless (= tick (buffer-chars-modified-tick))
                (setq proxies (cite-lsp--proxies (cite-lsp--ask-for-items))
                      typed (buffer-substring-no-properties start (max start (point)))
                      tick (buffer-chars-modified-tick))))
            ;; What is typed elsewhere than in the text, as in the minibuffer, narrows the list.
            (cite-lsp--with-words
             proxies (string-remove-prefix typed (string-remove-suffix rest string))))))
    (lambda (string predicate action)
      (pcase action
        ('metadata
         `(metadata (category . cite-lsp)
                    (display-sort-function . identity)
                    (cycle-sort-function . identity)))
        (`(boundaries . ,_) nil)
        ('lambda (and (member string (funcall current string)) t))
        ('t (seq-filter (or predicate #'identity) (funcall current string)))
        (_ (cite-lsp--try string (funcall current string)))))))

(defun cite-lsp--try (string proxies)
  "Return the completion of STRING that all PROXIES allow, as `try-completion'."
  (pcase proxies
    ('nil nil)
    ;; A copy, as what is put into the text loses its properties.
    (`(,one) (if (equal string one) t (copy-sequence one)))
    (_ string)))

(defun cite-lsp--try-completion (string table predicate point)
  "Complete STRING with TABLE, for `completion-styles-alist'.
PREDICATE and POINT are as there."
  (let ((found (try-completion string table predicate)))
    (cond ((not (stringp found)) found)
          ((string= found string) (cons string point))
          (t (cons found (length found))))))

(defun cite-lsp--all-completions (string table predicate _point)
  "Return what TABLE has for STRING and PREDICATE, for `completion-styles-alist'."
  (all-completions string table predicate))

(add-to-list 'completion-styles-alist
             '(cite-lsp cite-lsp--try-completion cite-lsp--all-completions
                        "What the server found for the typed words."))
(add-to-list 'completion-category-defaults '(cite-lsp (styles cite-lsp)))

(defun cite-lsp--documentation (proxy)
  "Return a buffer with the documentation of PROXY, or nil."
  (when-let* ((item (get-text-property 0 'cite-lsp-item proxy))
              (connection (cite-lsp--connection))
              (resolved (cite-lsp--request connection "completionItem/resolve" item t))
              (documentation (cite-lsp--plain (cite-lsp--get resolved "documentation"))))
    (with-current-buffer (get-buffer-create " *cite-lsp paper*")
      (erase-buffer)
      (insert (if (stringp documentation) documentation (plist-get documentation :value)))
      (goto-char (point-min))
      (current-buffer))))

(defun cite-lsp--finish (proxy)
  "Apply the further edits and the command of the item behind PROXY.
Before that, delete what else its key takes the place of."
  (let ((item (get-text-property 0 'cite-lsp-item proxy)))
    (delete-char (get-text-property 0 'cite-lsp-more proxy))
    (when-let ((edits (cite-lsp--get item "additionalTextEdits")))
      (cite-lsp--apply-edits edits))
    (when-let ((command (cite-lsp--get item "command")))
      (apply #'cite-lsp--execute (cite-lsp--get command "command")
             (append (cite-lsp--get command "arguments") nil)))))

;;;###autoload
(defun cite-lsp-completion-at-point ()
  "Complete the citation at point, for `completion-at-point-functions'."
  (let ((items (cite-lsp--ask-for-items)))
    (cond (items (cite-lsp--found items))
          ;; Typing ended the wait.  Others would answer for a citation as if it were any word,
          ;; and keep it, so nobody does until the next attempt.
          ((input-pending-p) (list (point) (point) nil)))))

(defun cite-lsp--found (items)
  "Return ITEMS as `completion-at-point-functions' do."
  (let* ((edit (cite-lsp--edit (car (seq-sort-by #'cite-lsp--end-of #'< items))))
         (start (cadr edit))
         (end (max (point) (cddr edit)))
         (proxies (cite-lsp--proxies items)))
    (list start end
          (cite-lsp--table start end proxies)
          :annotation-function
          (lambda (proxy)
            (if-let ((item (get-text-property 0 'cite-lsp-item proxy)))
                (cite-lsp--annotation proxy item)
              ""))
          :company-kind (lambda (_) 'reference)
          :company-prefix-length t
          :company-doc-buffer #'cite-lsp--documentation
          :exit-function
          (lambda (proxy status)
            (when (memq status '(finished exact sole))
              ;; Some lists lose the properties.
              (when-let ((own (if (get-text-property 0 'cite-lsp-item proxy)
                                  proxy
                                (car (member proxy proxies)))))
                (cite-lsp--finish own)))))))

(provide 'cite-lsp-complete)
;;; cite-lsp-complete.el ends here
