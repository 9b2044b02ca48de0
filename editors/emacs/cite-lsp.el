;;; cite-lsp.el --- Papers to cite, best first, while you write -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: bib, tex, convenience
;; URL: https://github.com/cite-lsp/cite-lsp

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; cite-lsp is a language server that recommends the papers a sentence
;; should cite.  This package lets eglot or lsp-mode start it, completes
;; citations by the words of a title, and shows what the server has to say:
;;
;;   (cite-lsp-setup 'eglot)            ; or lsp-mode
;;
;; `completion-at-point' inside a citation lists the papers that suit the
;; sentence.  `cite-lsp-recommend' chooses one for the sentence at point,
;; `cite-lsp-missing' lists the sentences of the draft that lack a citation,
;; `cite-lsp-index' has papers indexed, to be recommended beside your own.
;;
;; AUCTeX, markdown-mode and Org (whose drafts the server reads with their
;; org-cite citations) need nothing further; `cite-lsp-modes' has them all.
;; eglot runs one server in a buffer, so cite-lsp takes the place of another
;; one there; lsp-mode runs it beside texlab and its like.

;;; Code:

(require 'cl-lib)
(require 'cite-lsp-complete)
(require 'cite-lsp-index)
(require 'cite-lsp-missing)
(require 'cite-lsp-papers)
(require 'cite-lsp-references)
(require 'cite-lsp-request)

(declare-function eglot-ensure "ext:eglot")
(declare-function lsp-deferred "ext:lsp-mode")
(declare-function lsp-register-client "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function lsp--client-capabilities "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")

(defvar cite-lsp-mode)
(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)

(defgroup cite-lsp nil
  "Papers to cite, best first, while you write."
  :group 'tex
  :prefix "cite-lsp-")

(defcustom cite-lsp-command '("cite-lsp" "serve")
  "The command line that starts the server.
A program that Emacs does not find is looked for in ~/.local/bin as well,
where uv and pipx put it: the PATH of the desktop often lacks that."
  :risky t
  :type '(repeat string))

(defcustom cite-lsp-modes
  '(latex-mode LaTeX-mode tex-mode TeX-mode bibtex-mode markdown-mode org-mode)
  "The major modes in which the server is of use."
  :type '(repeat symbol))

(defcustom cite-lsp-settings nil
  "Settings of the server, a property list by their names in cite-lsp.toml.
For instance (:bibliography [\"~/papers/all.bib\"] :completion (:limit 20))."
  :risky t
  :type 'plist)

;;; What the server says of its state

(defvar cite-lsp--states (make-hash-table :test 'eq :weakness 'key)
  "From eglot servers and lsp-mode workspaces to (STATE . MESSAGE) as last told.")

(defun cite-lsp--told (connection state message)
  "Keep that CONNECTION is in STATE, with MESSAGE."
  (puthash connection (cons state (or message "")) cite-lsp--states)
  (force-mode-line-update t))

(defun cite-lsp-status ()
  "Return the state of the server of this buffer; show it to who asks by key."
  (interactive)
  (let* ((connection (cdr (cite-lsp--connection)))
         (told (and connection (gethash connection cite-lsp--states)))
         (text (cond ((not connection) "not running")
                     ((not told) "starting")
                     ((string-empty-p (cdr told)) (car told))
                     (t (format "%s (%s)" (car told) (cdr told))))))
    (when (called-interactively-p 'interactive)
      (message "cite-lsp: %s" text))
    text))

(defun cite-lsp--lighter ()
  "Return the text for the mode line: the state, but for \"ready\"."
  (let ((status (cite-lsp-status)))
    (if (string= status "ready")
        " Cite"
      ;; The mode line reads % as the start of something to put in its place.
      (format " Cite:%s" (replace-regexp-in-string "%" "%%" status t t)))))

(defun cite-lsp--complete-first ()
  "Complete citations before the client does, which knows no words of titles.
The completion of lsp-mode begins with an empty list, so this follows it."
  (when cite-lsp-mode
    (add-hook 'completion-at-point-functions #'cite-lsp-completion-at-point -50 t)))

(defun cite-lsp-complete-or-spell ()
  "Complete the citation at point; elsewhere, the word by its spelling."
  (interactive)
  (if (cite-lsp-completion-at-point)
      (completion-at-point)
    (ispell-complete-word)))

(defvar cite-lsp-mode-map
  (let ((map (make-sparse-keymap)))
    ;; AUCTeX puts its own command on the key of `completion-at-point', which asks it as well.
    (define-key map [remap TeX-complete-symbol] #'completion-at-point)
    ;; Before Emacs 30, so do text modes, with one that knows spellings alone.
    (define-key map [remap ispell-complete-word] #'cite-lsp-complete-or-spell)
    map)
  "Keys where the server runs.")

;;;###autoload
(define-minor-mode cite-lsp-mode
  "Complete citations at point with cite-lsp, and show its state in the mode line.
`cite-lsp-setup' turns it on where the server runs."
  :lighter (:eval (cite-lsp--lighter))
  (if cite-lsp-mode
      (cite-lsp--complete-first)
    (remove-hook 'completion-at-point-functions #'cite-lsp-completion-at-point t)))

(defun cite-lsp--follow-client ()
  "Turn `cite-lsp-mode' on beside a running server, off without one."
  (let ((running (and (cite-lsp--connection) t)))
    (unless (eq running (and cite-lsp-mode t))
      (cite-lsp-mode (if running 1 -1)))))

;;; The two clients

(defun cite-lsp--home ()
  "Return the home that uv and pipx know; on Windows that of Emacs is another."
  (let ((remote (file-remote-p default-directory)))
    (concat remote (or (and (eq system-type 'windows-nt) (not remote) (getenv "USERPROFILE"))
                       "~"))))

(defun cite-lsp--command ()
  "Return the command line of the server, with its program where it was found.
It is looked for on the machine of the buffer's file, where it will run."
  (let* ((program (car cite-lsp-command))
         (own (expand-file-name program (concat (cite-lsp--home) "/.local/bin")))
         (names (mapcar (lambda (suffix) (concat own suffix)) (cons "" exec-suffixes)))
         (found (cl-find-if #'file-executable-p names)))
    (cons (or (executable-find program t)
              (and found (file-local-name found))
              program)
          (cdr cite-lsp-command))))

(defvar cite-lsp--registered nil
  "The clients that know the server already.")

(defvar-local cite-lsp--deferred nil
  "Whether lsp-mode was told to start in this buffer.")

(defun cite-lsp--eglot-contact (&rest _)
  "Return the command line and the settings for eglot."
  (append (cite-lsp--command)
          (and cite-lsp-settings (list :initializationOptions cite-lsp-settings))))

(defun cite-lsp--register-eglot ()
  "Tell eglot of the server."
  (add-to-list 'eglot-server-programs (cons cite-lsp-modes #'cite-lsp--eglot-contact))
  (cl-defmethod eglot-handle-notification
    (server (_method (eql citeLsp/status)) &key state message &allow-other-keys)
    "Keep STATE and MESSAGE, as SERVER told them."
    (cite-lsp--told server state message))
  (add-hook 'eglot-managed-mode-hook #'cite-lsp--follow-client))

(defun cite-lsp--lsp-capabilities ()
  "Return the capabilities that lsp-mode has and does not tell.
It counts characters, and tells so from version 9 on."
  (unless (assq 'general (lsp--client-capabilities))
    '((general . ((positionEncodings . ["utf-32" "utf-16"]))))))

(defun cite-lsp--lsp-status (workspace status)
  "Keep STATUS, a notification, as WORKSPACE told it."
  (cite-lsp--told workspace (cite-lsp--get status "state") (cite-lsp--get status "message")))

(defun cite-lsp--register-lsp-mode ()
  "Tell lsp-mode of the server."
  (dolist (language '((bibtex-mode . "bibtex") (org-mode . "org") (LaTeX-mode . "latex")
                      (typst-ts-mode . "typst")))
    (unless (assq (car language) lsp-language-id-configuration)
      (push language lsp-language-id-configuration)))
  (let ((handlers (make-hash-table :test 'equal)))
    (puthash "citeLsp/status" #'cite-lsp--lsp-status handlers)
    (lsp-register-client
     (make-lsp-client :new-connection (lsp-stdio-connection #'cite-lsp--command)
                      :major-modes cite-lsp-modes
                      :add-on? t
                      :server-id 'cite-lsp
                      :initialization-options (lambda () cite-lsp-settings)
                      :custom-capabilities (cite-lsp--lsp-capabilities)
                      :notification-handlers handlers)))
  (add-hook 'lsp-after-open-hook #'cite-lsp--follow-client)
  (add-hook 'lsp-completion-mode-hook #'cite-lsp--complete-first)
  (add-hook 'lsp-managed-mode-hook #'cite-lsp--follow-client))

(defun cite-lsp--register (client register)
  "Load CLIENT and call REGISTER, unless that was done before."
  (unless (memq client cite-lsp--registered)
    (require client)
    (funcall register)
    (push client cite-lsp--registered)))

;;;###autoload
(defun cite-lsp-start-eglot ()
  "Start the server in this buffer with eglot."
  (interactive)
  (cite-lsp--register 'eglot #'cite-lsp--register-eglot)
  (eglot-ensure))

;;;###autoload
(defun cite-lsp-start-lsp-mode ()
  "Start the server in this buffer with lsp-mode, beside others that it knows."
  (interactive)
  (cite-lsp--register 'lsp-mode #'cite-lsp--register-lsp-mode)
  ;; A mode runs the hooks of the modes that it derives from as well; lsp-mode would set the
  ;; buffer up once more for each, while the writer has begun to type.
  (unless cite-lsp--deferred
    (setq cite-lsp--deferred t)
    (lsp-deferred)))

;;;###autoload
(defun cite-lsp-setup (client)
  "Have the server start in `cite-lsp-modes' with CLIENT, `eglot' or `lsp-mode'."
  (let ((start (pcase client
                 ('eglot #'cite-lsp-start-eglot)
                 ('lsp-mode #'cite-lsp-start-lsp-mode)
                 (_ (user-error "No such client: %s; eglot or lsp-mode" client)))))
    (dolist (mode cite-lsp-modes)
      (add-hook (intern (format "%s-hook" mode)) start))))

(provide 'cite-lsp)
;;; cite-lsp.el ends here
