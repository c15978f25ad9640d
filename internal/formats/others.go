package formats

// Graphloop has one version.
var Graphloop = Format{Name: "graphloop", Versions: []Version{
	{Name: "1.0", Title: "1.0", Repository: "tedzhao26/agents-skills-collection", Commit: "29f8cb2", Date: "2026-01-17"},
}}

// Lango has had the same keys since its description.
var Lango = Format{Name: "lango", Versions: []Version{
	{Name: "0", Title: "February 2026", Repository: "langoai/lango", Commit: "5fcd659d", Date: "2026-02-20", Recorded: true},
}}

// Xprompt is the format of gai and of its successor, sase.
var Xprompt = Format{Name: "xprompt", Versions: []Version{
	{Name: "gai", Title: "gai, February 2026", Repository: "bbugyi200/dotfiles", Commit: "985b89b7", Date: "2026-02-03", Recorded: true},
	{Name: "sase", Title: "sase", Repository: "sase-org/sase", Commit: "004250fa"},
}}
