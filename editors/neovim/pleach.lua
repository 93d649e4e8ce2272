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
vim.lsp.commands["pleach.test"] = function(command, context)
  local uri, name = unpack(command.arguments)
  -- The program and the leaves are those of the server.
  local cmd = vim.lsp.get_client_by_id(context.client_id).config.cmd
  local run = { cmd[1], "test", vim.uri_to_fname(uri) }
  if name then
    vim.list_extend(run, { "--filter", ": " .. name })
  end
  for i, word in ipairs(cmd) do
    if word == "--leaves" then
      vim.list_extend(run, { word, cmd[i + 1] })
    end
  end
  vim.cmd.new()
  vim.fn.jobstart(run, { term = true })
end
