package formats

// Graphloop has one version.
var Graphloop = Format{Name: "graphloop", Versions: []Version{
	{Name: "1.0", Title: "1.0", Repository: "tedzhao26/agents-skills-collection", Commit: "29f8cb2", Date: "2026-01-17"},
}}

// langoAgents is the version of lango with today's names of agents.
const langoAgents = "2026-04"

// Lango has had the same keys since its description.
var Lango = Format{
	Name: "lango",
	Versions: []Version{
		{Name: "2026-02", Title: "February 2026", Repository: "langoai/lango", Commit: "5fcd659d", Date: "2026-02-20", Recorded: true},
		{Name: langoAgents, Title: "after April 2026", Repository: "langoai/lango", Commit: "006c7759", Recorded: true},
	},
	Changes: []Change{
		{Since: langoAgents, Topic: "agent `operator`", Before: "`executor`", After: "`operator`; the older name is an alias"},
		{Since: langoAgents, Topic: "agent `librarian`", Before: "`researcher`", After: "`librarian`; the older name is an alias"},
		{Since: langoAgents, Topic: "agent `chronicler`", Before: "`memory-manager`", After: "`chronicler`; the older name is an alias"},
		{Since: langoAgents, Topic: "agents `navigator`, `vault`, `automator`, `ontologist`", Before: "unknown", After: "known"},
	},
}

// The versions of xprompt after the first one.
const (
	xpromptLast   = "gai-last"
	xpromptSase   = "sase"
	xpromptMacros = "sase-macros"
)

// Xprompt is the format of gai and of its successor, sase.
var Xprompt = Format{
	Name: "xprompt",
	Versions: []Version{
		{Name: "gai", Title: "gai, February 2026", Repository: "bbugyi200/dotfiles", Commit: "985b89b7", Date: "2026-02-03", Recorded: true},
		{Name: xpromptLast, Title: "the last gai", Repository: "bbugyi200/dotfiles", Commit: "acd7d59c", Date: "2026-02-25", Recorded: true},
		{Name: xpromptSase, Title: "sase", Repository: "sase-org/sase", Commit: "004250fa"},
		{Name: xpromptMacros, Title: "sase, with macros", Repository: "sase-org/sase", Commit: "117f5779", Recorded: true},
	},
	Keys: []Keys{
		{xpromptLast, "at the top of the file", []string{"xprompts"}},
		{xpromptSase, "at the top of the file", []string{"environment", "tags", "wraps_all"}},
		{xpromptSase, "on a step", []string{"agent", "use", "finally", "artifact", "prompt_part"}},
		{xpromptMacros, "at the top of the file", []string{"macros"}},
		{xpromptMacros, "on an input", []string{"repeatable", "choices"}},
	},
	Changes: []Change{
		{Since: xpromptLast, Topic: "`#name:: text`", Before: "text", After: "an argument", Source: "commit acd7d59c"},
		{Since: xpromptSase, Topic: "an input of type `path`", Before: "an existing file", After: "any path"},
		{Since: xpromptMacros, Topic: "an input of type `path`", Before: "without whitespace", After: "one line", Source: "docs/macros.md, commit 688c909b"},
		{Since: xpromptMacros, Topic: "types `enum`, `effort`, `model`", Before: "unknown", After: "known", Source: "docs/macros.md, commit 688c909b"},
		{Since: xpromptMacros, Topic: "`#name: text` within a line", Before: "text", After: "an argument"},
		{Since: xpromptMacros, Topic: "`#name:a,b`", Before: "one argument", After: "two"},
		{Since: xpromptMacros, Topic: "references in code", Before: "expanded", After: "text"},
		{Since: xpromptMacros, Topic: "templates in a fence of a prompt", Before: "filled in", After: "text"},
		{Since: xpromptMacros, Topic: "text behind a prompt that ends with a heading", Before: "continues the heading", After: "a paragraph"},
		{Since: xpromptMacros, Topic: "an empty argument of type `word`", Before: "allowed", After: "refused"},
	},
}
