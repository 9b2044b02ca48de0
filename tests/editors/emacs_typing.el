;;; emacs_typing.el --- Lets itself be typed into and writes down what is listed -*- lexical-binding: t; -*-

;;; Commentary:

;; For an Emacs with a screen, with company listing completions by itself.  `begin-typing' says in a
;; file when keys may come; C-c t ends.

;;; Code:

(require 'cl-lib)
(require 'company)
(require 'cite-lsp)

(defvar typing-lists nil "Of every list that was shown: what it was of, and of what the server said.")
(defvar typing-most-computed 0 "The most seconds of computing between two beats.")
(defvar typing-collecting 0 "The seconds of them that went into collecting garbage.")
(defvar typing-longest 0 "The most seconds that passed between two beats.")
(defvar typing-last nil "Time, computing and collecting of garbage at the last beat.")

(defun typing-beat ()
  "Write down how long it was since the last beat."
  (let ((now (list (float-time) (float-time (get-internal-run-time)) gc-elapsed)))
    (when typing-last
      (pcase-let ((`(,passed ,computed ,collecting) (cl-mapcar #'- now typing-last)))
        (setq typing-longest (max typing-longest (- passed 0.01)))
        (when (> computed typing-most-computed)
          (setq typing-most-computed computed
                typing-collecting (min collecting computed)))))
    (setq typing-last now)))

(defun typing-frontend (command)
  "Write down the list that company shows at COMMAND `post-command'."
  (when (and (eq command 'post-command) company-candidates)
    (let ((item (get-text-property 0 'cite-lsp-item (car company-candidates))))
      (push `((text . ,company-prefix)
              (filter . ,(and item (cite-lsp--get item "filterText")))
              (items . ,(length company-candidates)))
            typing-lists))))

(defun typing-end ()
  "Write down what was seen, and leave."
  (interactive)
  (seen "lists" (vconcat (reverse typing-lists)))
  (seen "line" (line))
  (seen "longest_ms" (* 1e3 typing-longest))
  (seen "most_computed_ms" (* 1e3 typing-most-computed))
  (seen "collecting_ms" (* 1e3 typing-collecting))
  (set-buffer-modified-p nil)
  (write-seen)
  (kill-emacs 0))

(defun typing-state ()
  "Write down what stands in the line, and whether a list of it is shown."
  (let* ((coding-system-for-write 'utf-8)
         (text (line))
         (listed (and company-candidates (string-suffix-p company-prefix text))))
    (with-temp-file (getenv "TYPING_STATE")
      (insert (if listed "list" "text") "\n" text))))

(defun begin-typing (client name)
  "Open NAME with CLIENT, and say so when it is ready."
  ;; What the README advises for large answers.
  (setq gc-cons-threshold (* 32 1024 1024)
        eglot-events-buffer-size 0)
  ;; `draft' does at once what this leaves to the first idle moment.
  (advice-add 'lsp-deferred :override #'ignore)
  (draft client name)
  (setq company-idle-delay 0
        company-minimum-prefix-length 0
        company-tooltip-idle-delay 0
        company-backends '(company-capf))
  (company-mode 1)
  (push #'typing-frontend company-frontends)
  (goto-char (point-min))
  (forward-line 2)
  (end-of-line)
  (global-set-key (kbd "C-c t") #'typing-end)
  (run-at-time 0 0.01 #'typing-beat)
  (run-at-time 0 0.2 #'typing-state))

;;; emacs_typing.el ends here
