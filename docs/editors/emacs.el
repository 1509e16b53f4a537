;;; emacs.el --- Burstline in Emacs, with the built-in Eglot  -*- lexical-binding: t; -*-

;; Load this file, or copy it into your init file. Emacs 29 and later have Eglot; for 28, install it from GNU ELPA.

;;; Code:

(require 'cc-mode)
(require 'eglot)

(define-derived-mode opencl-mode c-mode "OpenCL"
  "Major mode for OpenCL C.")

(dolist (ending '("\\.cl\\'" "\\.ocl\\'" "\\.clh\\'"))
  (add-to-list 'auto-mode-alist (cons ending 'opencl-mode)))

(add-to-list 'eglot-server-programs '(opencl-mode . ("burstline" "serve")))
(add-hook 'opencl-mode-hook #'eglot-ensure)

(defun burstline-kernel ()
  "Show the card of the kernel around point."
  (interactive)
  (let* ((server (eglot-current-server))
         (uri (plist-get (eglot--TextDocumentIdentifier) :uri))
         (symbols (jsonrpc-request server :textDocument/documentSymbol (list :textDocument (list :uri uri))))
         (line (1- (line-number-at-pos)))
         (kernel (seq-find (lambda (symbol)
                             (let ((range (plist-get symbol :range)))
                               (and (plist-get symbol :detail)
                                    (<= (plist-get (plist-get range :start) :line) line)
                                    (<= line (plist-get (plist-get range :end) :line)))))
                           symbols)))
    (unless kernel (user-error "Point is in no kernel"))
    (let ((card (jsonrpc-request server :workspace/executeCommand
                                 (list :command "burstline.showKernel"
                                       :arguments (vector uri (plist-get kernel :name) t)))))
      (with-help-window "*burstline*" (princ card)))))

(provide 'burstline)
;;; emacs.el ends here
