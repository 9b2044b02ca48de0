;;; emacs_driver.el --- Plays a scenario in Emacs and writes down what was seen -*- lexical-binding: t; -*-

;;; Commentary:

;; The scenario is a file of Lisp that calls these functions; `seen' keeps what the test looks at.

;;; Code:

(require 'json)
(require 'package)
(package-initialize)
(require 'cite-lsp)

(defvar play-seen nil)
(defvar play-patience 240 "Seconds; a first start embeds the library.")

(setq cite-lsp-command (split-string (getenv "SCENARIO_SERVER") "\n")
      eglot-sync-connect 240
      lsp-session-file (expand-file-name "lsp-session" temporary-file-directory)
      lsp-restart 'ignore
      lsp-auto-guess-root t
      lsp-enable-file-watchers nil
      lsp-enable-snippet nil
      lsp-warn-no-matched-clients nil
      last-nonmenu-event ?a ; the keyboard, not the mouse
      make-backup-files nil
      create-lockfiles nil)

(defun seen (name value)
  "Write down VALUE under NAME."
  (push (cons name value) play-seen))

(defun wait-until (what condition &optional seconds)
  "Wait until CONDITION returns non-nil; without it after SECONDS, WHAT is missing."
  (let ((end (+ (float-time) (or seconds play-patience))) result)
    (while (not (setq result (funcall condition)))
      (when (> (float-time) end) (error "Waited in vain for %s" what))
      (accept-process-output nil 0.05))
    result))

(defun ready ()
  "Wait until the server of this buffer is ready."
  (wait-until "the server to be ready" (lambda () (equal (cite-lsp-status) "ready"))))

(defun draft (client name)
  "Open NAME with CLIENT, `eglot' or `lsp-mode'."
  (cite-lsp-setup client)
  (find-file name)
  ;; What an idle moment does in Emacs with a screen.
  (run-hooks 'post-command-hook)
  (when (eq client 'lsp-mode) (lsp))
  (ready))

(defun go-behind (text)
  "Put point behind TEXT."
  (goto-char (point-min))
  (search-forward text))

(defun line ()
  "Return the line of point."
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun complete-first ()
  "Complete at point, take the first of what is listed, and return all of it."
  (completion-at-point)
  (when (get-buffer-window "*Completions*")
    (with-selected-window (get-buffer-window "*Completions*")
      (let ((listed (buffer-substring-no-properties (point-min) (point-max))))
        (goto-char (next-single-property-change (point-min) 'mouse-face))
        (choose-completion)
        listed))))

(defmacro choosing (how &rest body)
  "Run BODY, answering `completing-read' with what HOW returns for the candidates."
  (declare (indent 1))
  `(cl-letf (((symbol-function 'completing-read)
              (lambda (_prompt table &rest _)
                (let ((metadata (funcall table "" nil 'metadata)))
                  (seen "category" (symbol-name (alist-get 'category (cdr metadata))))
                  (seen "offered" (vconcat
                                   (mapcar #'string-join
                                           (funcall (alist-get 'affixation-function (cdr metadata))
                                                    (all-completions "" table))))))
                (funcall ,how (all-completions "" table)))))
     ,@body))

;; eglot asks before it edits a file that is not open; the writer agrees.
(fset 'y-or-n-p (lambda (&rest _) t))

(defun write-seen ()
  "Write what was seen."
  (let ((coding-system-for-write 'utf-8))
    (with-temp-file (getenv "SCENARIO_SEEN")
      (insert (json-encode play-seen)))))

(defun play ()
  "Play the scenario and write what was seen."
  (let ((problem (condition-case err
                     (progn (load (getenv "SCENARIO") nil t t) nil)
                   (error (error-message-string err)))))
    (when problem (seen "problem" problem))
    (write-seen)
    (kill-emacs 0)))

;;; emacs_driver.el ends here
