;;; What a user of Emacs sees and does, in batch mode: SERVER is the command line, FILE is opened, RECIPE is loaded.

(setq package-user-dir (expand-file-name "elpa" (getenv "HOME"))
      package-directory-list '("/usr/share/emacs/site-lisp/elpa" "/usr/share/emacs/site-lisp/elpa-src"))
(package-initialize)
(require 'cl-lib)
(require 'eglot)
(load (getenv "RECIPE"))

(defvar passed 0)
(defvar failed 0)

(defmacro check (name &rest body)
  "Run BODY under NAME and say how it went."
  `(condition-case problem
       (progn ,@body (cl-incf passed) (princ (format "ok %s\n" ,name)))
     (error (cl-incf failed) (princ (format "FAIL %s: %S\n" ,name problem)))))

(defun eventually (what condition)
  "Wait until CONDITION holds; WHAT is missing otherwise."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (cl-assert (funcall condition) nil what)))

(defun go-to (text)
  "Put point on the first place of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun ask (method &rest more)
  "The server's answer about point."
  (jsonrpc-request (eglot-current-server) method (append (eglot--TextDocumentPositionParams) more)))

(setf (alist-get 'opencl-mode eglot-server-programs) (split-string (getenv "SERVER")))
(setq eglot-sync-connect 20 eglot-events-buffer-size 0 eglot-confirm-server-initiated-edits nil
      eglot-confirm-server-edits nil)
(remove-hook 'opencl-mode-hook #'eglot-ensure)
(find-file (getenv "FILE"))

(check "the file is OpenCL" (cl-assert (eq major-mode 'opencl-mode)))
(check "the server is attached"
  (apply #'eglot--connect (eglot--guess-contact))
  (cl-assert (eglot-current-server))
  (unless (bound-and-true-p eglot--managed-mode) (eglot--managed-mode 1))
  (eglot--signal-textDocument/didOpen))
(check "findings"
  (flymake-mode 1)
  (eventually "no finding" (lambda () (flymake-start) (flymake-diagnostics)))
  (cl-assert (cl-some (lambda (found) (string-match "BL106\\|saturate" (flymake-diagnostic-text found)))
                      (flymake-diagnostics))))
(check "an access's card in plain text"
  (go-to "x[i]")
  (let ((contents (plist-get (ask :textDocument/hover) :contents)))
    (cl-assert (equal (plist-get contents :kind) "plaintext"))
    (cl-assert (string-match "x\\[i\\] · load" (plist-get contents :value)))))
(when (fboundp 'eglot-inlay-hints-mode)
  (check "hints are drawn"
    (eglot-inlay-hints-mode 1)
    (eglot--update-hints-1 (point-min) (point-max))
    (eventually "no hint" (lambda () (cl-some (lambda (drawn) (overlay-get drawn 'eglot--inlay-hint))
                                              (overlays-in (point-min) (point-max)))))))
(check "the outline has the kernel"
  (let ((entries (funcall imenu-create-index-function)))
    (cl-assert (string-match "scale" (format "%S" entries)))))
(check "definition"
  (go-to "grown(2.0f")
  (let ((found (car (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))))
    (cl-assert (= 1 (xref-location-line (xref-item-location found))))))
(check "completion"
  (go-to "grown(2.0f")
  (let ((table (nth 2 (run-hook-with-args-until-success 'completion-at-point-functions))))
    (cl-assert (member "get_global_id" (mapcar #'substring-no-properties (all-completions "" table))))))
(check "the kernel's card"
  (go-to "y[i]")
  (burstline-kernel)
  (with-current-buffer "*burstline*"
    (cl-assert (string-match "scale · single work-item" (buffer-string)))))
(check "rename"
  (go-to "grown(float")
  (eglot-rename "bigger")
  (cl-assert (= 2 (count-matches "bigger" (point-min) (point-max))))
  (cl-assert (= 0 (count-matches "grown" (point-min) (point-max)))))
(check "a fix is made"
  (go-to "x[i]")
  (let* ((actions (append (eglot-code-actions (point) (+ 4 (point)) "quickfix") nil))
         (fix (cl-find-if (lambda (action) (string-match "^Unroll the loop over i 16" (plist-get action :title)))
                          actions)))
    (cl-assert fix)
    (if (fboundp 'eglot-execute) (eglot-execute (eglot-current-server) fix)
      (let ((whole (if (plist-get fix :edit) fix
                     (jsonrpc-request (eglot-current-server) :codeAction/resolve fix))))
        (eglot--apply-workspace-edit (plist-get whole :edit)))))
  (cl-assert (= 1 (count-matches "#pragma unroll 16" (point-min) (point-max)))))
(check "the server stops" (eglot-shutdown (eglot-current-server)))
(set-buffer-modified-p nil)
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (zerop failed) 0 1))
