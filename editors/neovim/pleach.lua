-- For Neovim 0.11 or later: put it into `~/.config/nvim/plugin/pleach.lua`.
vim.lsp.config("pleach", {
  -- For the leaves of a game: { "pleach", "lsp", "--leaves", "game.leaves" }, or the game's own program.
  cmd = { "pleach", "lsp" },
  filetypes = { "ron" },
  root_markers = { ".git" },
})
vim.lsp.enable("pleach")

-- Manifests are RON, too.
vim.filetype.add({ extension = { leaves = "ron" } })

-- Code lenses (`vim.lsp.codelens.run()`) run tests.
vim.lsp.commands["pleach.test"] = function(command)
  local uri, name = unpack(command.arguments)
  local run = { "pleach", "test", vim.uri_to_fname(uri) }
  if name then
    vim.list_extend(run, { "--filter", ": " .. name })
  end
  vim.cmd.new()
  vim.fn.jobstart(run, { term = true })
end
