-- For `vim.lsp.enable('cite_lsp')`, Neovim 0.11 and newer.
return require('cite_lsp.config').client()
