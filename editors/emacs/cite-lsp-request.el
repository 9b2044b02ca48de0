;;; cite-lsp-request.el --- Talk to cite-lsp through eglot or lsp-mode -*- lexical-binding: t; -*-

;; Author: The cite-lsp authors

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Part of cite-lsp.  What both clients can do is brought to one form here,
;; so that no other file asks which of them a buffer uses.

;;; Code:

(require 'seq)
(require 'subr-x)


(declare-function eglot-current-server "ext:eglot")
(declare-function eglot-managed-p "ext:eglot")
(declare-function eglot--apply-text-edits "ext:eglot")
(declare-function eglot--lsp-position-to-point "ext:eglot")
(declare-function eglot--pos-to-lsp-position "ext:eglot")
(declare-function eglot--server-capable "ext:eglot")
(declare-function eglot--signal-textDocument/didChange "ext:eglot")
(declare-function eglot--TextDocumentIdentifier "ext:eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function jsonrpc-request "jsonrpc")
(declare-function jsonrpc-running-p "jsonrpc")
(declare-function lsp-request "ext:lsp-mode")
(declare-function lsp-request-async "ext:lsp-mode")
(declare-function lsp-request-while-no-input "ext:lsp-mode")
(declare-function lsp-workspaces "ext:lsp-mode")
(declare-function lsp--apply-text-edits "ext:lsp-mode")
(declare-function lsp--capability "ext:lsp-mode")
(declare-function lsp--client-server-id "ext:lsp-mode")
(declare-function lsp--point-to-position "ext:lsp-mode")
(declare-function lsp--position-to-point "ext:lsp-mode")
(declare-function lsp--text-document-identifier "ext:lsp-mode")
(declare-function lsp--workspace-client "ext:lsp-mode")
(declare-function lsp--workspace-cmd-proc "ext:lsp-mode")
(declare-function lsp--workspace-server-capabilities "ext:lsp-mode")

(defvar eglot-confirm-server-initiated-edits)
(defvar lsp-response-timeout)
(defvar lsp--cur-workspace)

(defun cite-lsp--eglot-server ()
  "Return the eglot server of this buffer if it is cite-lsp."
  ;; A buffer that eglot is leaving must not be asked: it would keep the server that has ended.
  (when-let* ((server (and (fboundp 'eglot-managed-p) (eglot-managed-p) (eglot-current-server)))
              (provider (eglot--server-capable :executeCommandProvider)))
    (and (seq-contains-p (plist-get provider :commands) "citeLsp.recommend") server)))

(defun cite-lsp--lsp-workspace ()
  "Return the lsp-mode workspace of cite-lsp in this buffer."
  (when (bound-and-true-p lsp-managed-mode)
    (seq-find (lambda (workspace)
                (eq (lsp--client-server-id (lsp--workspace-client workspace)) 'cite-lsp))
              (lsp-workspaces))))

(defun cite-lsp--connection ()
  "Return the connection of this buffer, nil where there is none.
It is (eglot . SERVER) or (lsp-mode . WORKSPACE)."
  (if-let ((server (cite-lsp--eglot-server)))
      (cons 'eglot server)
    (when-let ((workspace (cite-lsp--lsp-workspace)))
      (cons 'lsp-mode workspace))))

(defun cite-lsp--needed-connection ()
  "Return the connection of this buffer; signal a `user-error' where there is none."
  (or (cite-lsp--connection)
      (user-error "No cite-lsp server in this buffer; try M-x eglot or M-x lsp")))

(defun cite-lsp--running-p (connection)
  "Whether the server of CONNECTION has not ended."
  (pcase connection
    (`(eglot . ,server) (jsonrpc-running-p server))
    (`(lsp-mode . ,workspace) (process-live-p (lsp--workspace-cmd-proc workspace)))))

(defun cite-lsp--plain (value)
  "Return a VALUE of JSON with objects as property lists and arrays as lists."
  (cond ((hash-table-p value)
         (let (plist)
           (maphash (lambda (key item)
                      (setq plist (nconc (list (intern (format ":%s" key)) (cite-lsp--plain item))
                                         plist)))
                    value)
           plist))
        ((vectorp value) (mapcar #'cite-lsp--plain value))
        ((consp value) (mapcar #'cite-lsp--plain value))
        ((memq value '(:json-false :false :null)) nil)
        (t value)))

(defconst cite-lsp--patience 600
  "Seconds after which an answer is waited for no longer.
The clients wait for ten, and going through a long draft takes more.")

(defun cite-lsp--request (connection method params &optional interruptible)
  "Send METHOD with PARAMS over CONNECTION and return what is answered.
With INTERRUPTIBLE, typing ends the wait, else \\[keyboard-quit] does."
  (pcase connection
    (`(eglot . ,server)
     (eglot--signal-textDocument/didChange)
     (jsonrpc-request server (intern (concat ":" method)) params
                      :timeout cite-lsp--patience
                      :cancel-on-input interruptible))
    (`(lsp-mode . ,workspace)
     (let ((lsp--cur-workspace workspace)
           (lsp-response-timeout cite-lsp--patience))
       (if interruptible
           (let ((non-essential t)) ; or it waits all the same
             (lsp-request-while-no-input method params))
         (lsp-request method params))))))

(defun cite-lsp--knows-p (connection command)
  "Whether the server of CONNECTION knows COMMAND; an older one may not."
  (let ((provider
         (pcase connection
           (`(eglot . ,_) (eglot--server-capable :executeCommandProvider))
           (`(lsp-mode . ,workspace)
            (lsp--capability :executeCommandProvider
                             (lsp--workspace-server-capabilities workspace))))))
    (seq-contains-p (cite-lsp--get provider "commands") command)))

(defun cite-lsp--execute (command &rest arguments)
  "Let the server execute COMMAND with ARGUMENTS and return the plain result."
  (let ((connection (cite-lsp--needed-connection))
        ;; The writer has just asked for the edit that comes of it.
        (eglot-confirm-server-initiated-edits nil))
    (unless (cite-lsp--knows-p connection command)
      (user-error "This version of the server does not know %s; update it" command))
    (cite-lsp--plain
     (cite-lsp--request connection "workspace/executeCommand"
                        (list :command command :arguments (vconcat arguments))))))

(defun cite-lsp--execute-later (command arguments done failed)
  "Let the server execute COMMAND with the list ARGUMENTS, without waiting for it.
DONE is called with the plain result, FAILED without arguments where there
is none, once the writer was told why.  By then this buffer may be gone."
  (let* ((connection (cite-lsp--needed-connection))
         (params (list :command command :arguments (vconcat arguments)))
         (done (lambda (result) (funcall done (cite-lsp--plain result))))
         (failed (lambda (problem)
                   (message "cite-lsp: %s" (or (cite-lsp--get problem "message") problem))
                   (funcall failed))))
    (unless (cite-lsp--knows-p connection command)
      (user-error "This version of the server does not know %s; update it" command))
    (pcase connection
      (`(eglot . ,server)
       (jsonrpc-async-request server :workspace/executeCommand params
                              :success-fn done :error-fn failed :timeout nil))
      (`(lsp-mode . ,workspace)
       (let ((lsp--cur-workspace workspace))
         (lsp-request-async "workspace/executeCommand" params done
                            :error-handler failed :mode 'detached))))))

(defun cite-lsp--uri ()
  "Return the URI of this buffer as the server knows it."
  (plist-get (if (eq (car (cite-lsp--needed-connection)) 'eglot)
                 (eglot--TextDocumentIdentifier)
               (lsp--text-document-identifier))
             :uri))

(defun cite-lsp--position (&optional point)
  "Return the protocol's position of POINT, by default that of the cursor."
  (if (eq (car (cite-lsp--needed-connection)) 'eglot)
      (eglot--pos-to-lsp-position (or point (point)))
    (lsp--point-to-position (or point (point)))))

(defun cite-lsp--point (position)
  "Return the point of the protocol's POSITION, a property list."
  (let ((line (plist-get position :line)) (character (plist-get position :character)))
    (if (eq (car (cite-lsp--needed-connection)) 'eglot)
        (eglot--lsp-position-to-point (list :line line :character character))
      ;; lsp-mode reads a hash table, or a property list where it was built for those.
      (let ((table (make-hash-table :test 'equal)))
        (puthash "line" line table)
        (puthash "character" character table)
        (lsp--position-to-point
         (if (bound-and-true-p lsp-use-plists) position table))))))

(defun cite-lsp--get (object key)
  "Return what OBJECT, a JSON object of either client, has under KEY, a string."
  (if (hash-table-p object)
      (gethash key object)
    (plist-get object (intern (concat ":" key)))))

(defun cite-lsp--apply-edits (edits)
  "Apply EDITS, text edits as they came from the server, to this buffer."
  (if (eq (car (cite-lsp--needed-connection)) 'eglot)
      (eglot--apply-text-edits edits)
    (lsp--apply-text-edits edits)))

(provide 'cite-lsp-request)
;;; cite-lsp-request.el ends here
