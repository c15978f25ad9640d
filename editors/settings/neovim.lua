-- Prints the diagnostics of the open file and the code actions for the first one.
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, found in ipairs(vim.diagnostic.get(0)) do
  io.write(string.format("%d:%d %s\n", found.lnum + 1, found.col + 1, found.message))
end
local place = { line = 4, character = 4 }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = place, ["end"] = place },
  context = { diagnostics = {} },
}, 20000)
for _, answer in pairs(answers or {}) do
  for _, action in ipairs(answer.result or {}) do
    io.write(action.title, "\n")
  end
end
vim.cmd("qa!")
