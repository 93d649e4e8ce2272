// Colours for trees: highlight.js, which mdBook brings along, does not know RON.
(() => {
  const number = { className: "number", begin: /-?\b\d[\d_]*(\.\d+)?(e[+-]?\d+)?\b/ };
  const text = { className: "string", begin: /"/, end: /"/, contains: [{ begin: /\\./ }] };
  const raw = { className: "string", begin: /r#"/, end: /"#/ };
  const comments = [hljs.C_LINE_COMMENT_MODE, hljs.C_BLOCK_COMMENT_MODE];
  const field = { className: "attr", begin: /\b[a-z_]\w*(?=\s*:)/ };
  const kind = { className: "built_in", begin: /\b[A-Z]\w*/ };
  hljs.registerLanguage("ron", () => ({ keywords: { literal: "true false None Some" }, contains: [...comments, raw, text, field, number, kind] }));
  for (const block of document.querySelectorAll("code.language-ron")) hljs.highlightBlock(block);
})();
