package config

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Schema returns the JSON Schema (draft 2020-12) of wfc.yaml, made from the tables by which
// Parse reads it. It refuses unknown keys, which Parse reports as errors.
func Schema() []byte { return format().Schema(true) }

// format is the format of wfc.yaml.
func format() keys.Format {
	d := &decoder{config: &Config{}}
	table := func(l decode.Level, list []key) decode.Table {
		t := decode.Table{Level: l}
		for _, k := range list {
			t.Keys = append(t.Keys, k.Key)
		}
		return t
	}
	top, workflow, shape := d.keys(), d.workflowKeys(new(rule)), withCodes(someLevels)
	for _, list := range [][]key{top, workflow} {
		for i := range list {
			if list[i].Name == "severities" {
				list[i].Shape = shape
			}
		}
	}
	return keys.Format{Name: "config", Title: FileName, Typed: true, Tables: []decode.Table{
		table(rootLevel, top),
		table(agentLevel, d.agentKeys(new(settings.Agent), new([]string))),
		table(priceLevel, d.priceKeys(new(settings.Price))),
		table(modelLevel, d.modelKeys(new(settings.Model), new(*yamlsrc.Node))),
		table(archonLevel, d.archonKeys()),
		table(deliveryLevel, d.deliveryKeys()),
		table(channelLevel, d.channelKeys(new(settings.Channel))),
		table(environmentLevel, d.environmentKeys()),
		table(limitsLevel, d.limitKeys()),
		table(interruptLevel, d.interruptKeys(new(settings.Interrupts))),
		table(sandboxLevel, d.sandboxKeys(new(settings.Sandbox))),
		table(grantsLevel, d.grantsKeys(new(settings.Grants))),
		table(grantLevel, d.grantKeys(new(settings.Grant))),
		table(programLevel, d.programKeys(new(settings.CodeRunner))),
		table(workflowLevel, workflow),
	}}
}

// The tables of wfc.yaml: each key with its values, its description, and the function that
// reads it. The reference and the schema are made from them. Unknown keys are errors.

func level(where string) decode.Level { return decode.Level{Where: where, Closed: true} }

var (
	rootLevel        = level("at the top of the file")
	archonLevel      = level("under `archon:`")
	deliveryLevel    = level("under `delivery:`")
	environmentLevel = level("under `environment:`")
	limitsLevel      = level("under `limits:`")
	interruptLevel   = level("under `on_interrupt:`")
	priceLevel       = level("under `price:`")
	channelLevel     = level("in a channel")
	modelLevel       = level("in a model")
	programLevel     = level("in a program")
	workflowLevel    = level("in a workflow")
	agentLevel       = decode.Level{Where: "in an agent", Closed: true, AnyOf: [][]string{{"use", "command"}}}
)

// The shapes that several keys have. Names are those of environment variables.
const (
	namePattern     = "^[A-Za-z_][A-Za-z0-9_]*$"
	wildcardPattern = "^[A-Za-z_*][A-Za-z0-9_*]*$"
	tagPattern      = `^[A-Za-z0-9][A-Za-z0-9_.-]*$`
	secretPattern   = `^[^=:/$ \t\n]+$`
)

var (
	someText   = decode.FilledString
	someTexts  = someText.Else(decode.ListOf(someText).AtLeast(1))
	someCount  = decode.Integer.Above(0)
	variables  = orList(decode.String.Matching(wildcardPattern))
	workerTags = orList(decode.String.Matching(tagPattern))
	options    = orList(decode.String.Matching(`^-[^= \t\n]+$`))
	someLevels = decode.MapOf(decode.OneOf(levels...)).OrNull()
	levels     = []string{"off", diag.Note.String(), diag.Warning.String(), diag.Error.String()}
	policies   = []settings.Policy{settings.InterruptRerun, settings.InterruptAsk, settings.InterruptFail}
)

// orList is the shape of values of a shape and of lists of them, which may be empty.
func orList(s decode.Shape) decode.Shape { return s.Else(decode.ListOf(s)) }

// formats are the names for files of a pattern.
func formats() []string { return append(compiler.Dialects(), compiler.NoDialect) }

// setting describes a key.
func setting(name string, shape decode.Shape, doc string, read func(setting string, n *yamlsrc.Node)) key {
	return key{decode.Key{Name: name, Shape: shape, Doc: doc}, read}
}

// like returns the key with examples, as JSON.
func (k key) like(examples ...string) key {
	k.Examples = examples
	return k
}

// needed returns the key as one that a mapping must have.
func (k key) needed() key {
	k.Required = true
	return k
}

// preset returns the key with the value that counts if it is absent, as JSON.
func (k key) preset(value string) key {
	k.Default = value
	return k
}

// keys is the table of wfc.yaml.
func (d *decoder) keys() []key {
	c, p := d.config, &d.config.settings
	return []key{
		setting("agents", decode.MapOf(decode.Object(&agentLevel)).OrNull(), "Agents by the names that workflows give them.", d.agents).
			like(`{"reviewer": {"use": "claude", "model": "opus"}}`),
		setting("archon", decode.Object(&archonLevel).OrNull(), "Rules for workflows of the format archon.", d.mapping(d.archonKeys())),
		setting("base_branch", someText, "Branch that changes are compared with.", into(&p.BaseBranch, d.text)).like(`"main"`),
		setting("commands", someTexts, "Further folders of command files, which are prompts in files.", into(&p.Commands, d.texts)).like(`"prompts"`),
		setting("database", someText, "URL of the database for `store: postgres`, without a password.", into(&p.Database, d.database)).
			like(`"postgres://ann@db.example/wfc"`),
		setting("delivery", decode.Object(&deliveryLevel).OrNull(), "Channels that receive results.", d.mapping(d.deliveryKeys())),
		setting("dialects", decode.MapOf(decode.OneOf(formats()...)).OrNull(), "Formats of files, by pattern; `none` is for files that are not workflows.", d.dialects).
			like(`{"flows/**/*.yaml": "archon"}`),
		setting("docs_dir", someText, "Folder that `$DOCS_DIR` names in archon workflows.", into(&p.DocsDir, d.text)).preset(`"docs/"`),
		setting("env", decode.MapOf(decode.String.Else(decode.Number).Else(decode.Bool)).NamedLike(namePattern).OrNull(), "Variables for every process of a run.", into(&p.Environ, d.environ)).
			like(`{"CI": "1"}`),
		setting("environment", decode.Object(&environmentLevel).OrNull(), "Variables of the caller that processes get.", d.mapping(d.environmentKeys())),
		setting("exclude", decode.FullString.Else(decode.ListOf(decode.FullString).AtLeast(1)), "Patterns of files and folders that wfc does not check.", into(&c.exclude, d.exclude)).
			like(`["vendor", "**/*.draft.yaml"]`),
		setting("gates", decode.OneOf(string(settings.GatesAny), string(settings.GatesTerminal), string(settings.GatesToken)),
			"Who can answer a gate. `any`: a person at a terminal, or the commands for answers; `terminal`: only a person at a terminal; `token`: only an answer with the token of the run.",
			into(&p.Gates, oneOf(d, settings.GatesAny, settings.GatesTerminal, settings.GatesToken))).preset(`"any"`),
		setting("grant_sets", decode.MapOf(decode.Object(&grantLevel).OrNull()).NamedLike(tagPattern).OrNull(), "The project's own grants, by name.", d.grantSets).
			like(`{"internal": {"hosts": ["git.example.com"], "read": ["~/.config/tool"]}}`),
		setting("grants", orList(decode.FilledString).Else(decode.Object(&grantsLevel)),
			"What steps can reach in the sandbox beside what every step can reach: names of known grants, or of `grant_sets`.", d.grants).like(`["github", "npm"]`),
		setting("limits", decode.Object(&limitsLevel).OrNull(), "Limits that end a run, which can then be resumed.", d.mapping(d.limitKeys())),
		setting("max_parallel", someCount, "Maximum number of steps that run at the same time.", into(&p.MaxParallel, count[int](d))).like("8"),
		setting("models", decode.MapOf(someText.Else(decode.Object(&modelLevel))).OrNull(), "Models by the names that workflows give them: tiers such as `small`, and aliases such as `@deep`.", d.models).
			like(`{"small": "haiku", "@deep": {"agent": "codex", "model": "big"}}`),
		setting("on_interrupt", decode.OneOf(names(policies)...).Else(decode.Object(&interruptLevel)),
			"How `resume` treats a step that was running when the process of the run died. `rerun`: runs it again; `ask`: asks a person; `fail`: fails it.", d.onInterrupt).preset(`"rerun"`),
		setting("programs", decode.MapOf(decode.Object(&programLevel).OrNull()).NamedLike(`^[^/ \t\n]+$`).OrNull(), "Arguments of the project's programs that are run as code, by program.", d.programs).
			like(`{"deploy": {"runs": [2], "options": ["--hook"]}}`),
		setting("sandbox", decode.OneOf(names(modes)...).Else(decode.Object(&sandboxLevel)),
			"Sandbox of the programs of steps, on Linux. `on`: they reach only what was granted; `report`: nothing is refused, and the log lists what `on` would refuse; `off`: no sandbox.",
			d.sandbox).preset(`"off"`),
		setting("scripts", someTexts, "Further folders of named scripts.", into(&p.Scripts, d.texts)).like(`["tools", "bin"]`),
		setting("severities", someLevels, "Severities of warnings and notes, by code or name. Errors cannot be lowered.", into(&c.severities, d.severities)).
			like(`{"WFC530": "error", "unused-ignore": "off"}`),
		setting("state", someText, "Folder for the state of runs.", into(&p.State, d.text)).like(`"../wfc-state"`),
		setting("store", decode.OneOf(string(settings.StoreSQLite), string(settings.StorePostgres), string(settings.StoreMemory)), "Store that keeps the runs.", into(&p.Store, oneOf(d, settings.StoreSQLite, settings.StorePostgres, settings.StoreMemory))).preset(`"sqlite"`),
		setting("toolchain", decode.OneOf("auto", "local"), "Go that builds use. `auto`: the installed one, or one that wfc downloads once; `local`: only an installed one.",
			into(&p.Toolchain, oneOf(d, "auto", "local"))).preset(`"auto"`),
		setting("workflows", decode.MapOf(decode.Object(&workflowLevel).OrNull()).OrNull(), "Schedules and deliveries of workflows of any format, by pattern.", d.workflows).
			like(`{"reports/*.yaml": {"schedule": "0 7 * * *", "deliver_to": ["slack"]}}`),
	}
}

// withCodes returns the shape of severities with the titles of all codes, which take time
// to read. IDs may be in any case.
func withCodes(s decode.Shape) decode.Shape {
	s = s.NamedLike("^[Ww][Ff][Cc][0-9]{3}$")
	for _, c := range codes.All() {
		shape := *s.Of
		if c.Severity == diag.Error {
			shape = decode.OneOf(diag.Error.String())
		}
		for _, name := range []string{c.ID, c.Slug} {
			s.Names = append(s.Names, decode.Key{Name: name, Shape: shape, Doc: codes.DocumentOf(c).Title})
		}
	}
	return s
}

// names returns strings of a string type.
func names[T ~string](list []T) []string {
	var all []string
	for _, v := range list {
		all = append(all, string(v))
	}
	return all
}

func (d *decoder) archonKeys() []key {
	p := &d.config.settings
	return []key{
		setting("until", decode.OneOf("word", "strict"),
			"Where `until` finds the word that ends a loop. `word`: anywhere in the reply; `strict`: in a tag, at the end of the reply, or alone on a line.",
			func(setting string, n *yamlsrc.Node) {
				p.UntilAsArchon = d.choice(setting, n, []string{"word", "strict"}) == "strict"
			}).preset(`"word"`),
		setting("version", decode.String.Matching(`^[0-9]{1,5}(\.[0-9]{1,5}){1,2}$`).Else(decode.Number), "Version of Archon whose rules hold for every workflow.",
			into(&p.ArchonVersion, d.version)).like(`"0.9"`),
	}
}

func (d *decoder) deliveryKeys() []key {
	return []key{
		setting("default", someTexts, "Targets of lango workflows whose result has no other target.", into(&d.config.settings.DeliverTo, d.defaultTargets)).like(`["slack"]`),
		setting("channels", decode.MapOf(decode.Object(&channelLevel).OrNull()).OrNull(), "Channels by name.", d.channels).
			like(`{"slack": {"url_variable": "SLACK_WEBHOOK_URL"}}`),
	}
}

func (d *decoder) channelKeys(c *settings.Channel) []key {
	secret := decode.FilledString.Matching(secretPattern)
	return []key{
		setting("kind", decode.OneOf(target.Kinds()...), "Kind of the channel; the name of the channel if that is a kind.", into(&c.Kind, oneOf(d, target.Kinds()...))),
		setting("url_variable", secret, "Environment variable with the URL to which results are sent.", into(&c.URLVariable, d.secretVariable)).like(`"SLACK_WEBHOOK_URL"`),
		setting("token_variable", secret, "Environment variable with the token of a bot.", into(&c.TokenVariable, d.secretVariable)).like(`"OPS_BOT_TOKEN"`),
		setting("receiver", someText, "Receiver of results whose target names none.", into(&c.Receiver, d.text)).like(`"42"`),
		setting("base_url", someText, "Address of the service, in place of the usual one.", into(&c.BaseURL, d.text)),
	}
}

func (d *decoder) environmentKeys() []key {
	e := &d.config.settings.PassEnv
	return []key{
		setting("agents", variables, "Names of the variables that agents get, with `*` for any characters; without the key, all that are not secrets.", into(&e.Agents, d.variables)).
			like(`["AWS_*", "GH_TOKEN"]`),
		setting("scripts", variables, "Names of the variables that scripts get, with `*` for any characters; without the key, all.", into(&e.Scripts, d.variables)),
	}
}

func (d *decoder) limitKeys() []key {
	l := &d.config.settings.Limits
	return []key{
		setting("cost_usd", decode.Number.Above(0), "Maximum cost of the agents in US dollars.",
			into(&l.CostUSD, d.number("an amount in US dollars above 0", func(v float64) bool { return v > 0 }))).like("5"),
		setting("tokens", someCount, "Maximum number of tokens of the agents.", into(&l.Tokens, count[int64](d))).like("200000"),
	}
}

func (d *decoder) interruptKeys(o *settings.Interrupts) []key {
	shape, policy := decode.OneOf(names(policies)...), oneOf(d, policies...)
	keys := []key{setting("default", shape, "Policy of all nodes, also of kinds without a key here, such as `wait`.", into(&o.Default, policy))}
	for _, kind := range []string{"approval", "bash", "loop", "prompt", "script"} {
		doc := "Policy of nodes of the kind " + kind + "."
		if kind == "script" {
			doc = "Policy of nodes of the kind script, also of `python` of xprompt."
		}
		keys = append(keys, setting(kind, shape, doc, func(setting string, n *yamlsrc.Node) { o.Kinds[kind] = policy(setting, n) }))
	}
	return append(keys, setting("nodes", decode.MapOf(shape).OrNull(), "Policies of single nodes, by id.", func(setting string, n *yamlsrc.Node) {
		o.Nodes = map[string]settings.Policy{}
		for pair := range d.pairs(setting, n) {
			o.Nodes[pair.Key.Value] = policy(join(setting, pair.Key.Value), pair.Value)
		}
	}).like(`{"deploy": "fail"}`))
}

func (d *decoder) modelKeys(m *settings.Model, at **yamlsrc.Node) []key {
	return []key{
		setting("agent", someText, "Agent that has the model; it answers, whatever agent the prompt names.", func(setting string, n *yamlsrc.Node) {
			if m.Agent = d.text(setting, n); m.Agent != "" {
				d.later = append(d.later, func() { d.choice(setting, n, d.agentNames()) })
			}
		}).like(`"codex"`),
		setting("model", someText, "The model's own name.", func(setting string, n *yamlsrc.Node) { m.Model, *at = d.text(setting, n), n }).needed(),
		setting("effort", decode.OneOf(dialect.Efforts...), "Reasoning effort of prompts that set none.", func(setting string, n *yamlsrc.Node) { m.Effort = d.choice(setting, n, dialect.Efforts) }),
	}
}

func (d *decoder) programKeys(p *settings.CodeRunner) []key {
	operand := decode.Integer.Above(0).OrQuoted()
	return []key{
		setting("runs", decode.OneOf("all").Else(orList(operand)), "Operands that the program runs as code, counted from 1, or `all`.", into(&p.CodeArguments, d.operands)).like("[2]"),
		setting("options", options, "Options whose argument the program runs as code.", into(&p.CodeFlags, d.flags)).like(`["--hook", "-e"]`),
		setting("values", options, "Further options that take an argument.", into(&p.ValueFlags, d.flags)).like(`["-C"]`),
	}
}

func (d *decoder) workflowKeys(r *rule) []key {
	return []key{
		setting("deliver_to", someTexts, "Targets of the result.", into(&r.deliverTo, d.targets)).like(`["slack"]`),
		setting("severities", someLevels, "Severities for these files. The first pattern with a severity for a code decides.", into(&r.severities, d.severities)).
			like(`{"unused-ignore": "off"}`),
		setting("tags", decode.MapOf(workerTags).OrNull(), "Tags that a worker needs to perform a node on a cluster, by node id.", r.readTags(d)).
			like(`{"train": "gpu", "deploy": ["trusted"]}`),
		setting("schedule", someText.With("(cron expression)"), "When the command `schedule` starts runs.", into(&r.schedule, d.schedule)).like(`"0 7 * * *"`),
	}
}

func (d *decoder) priceKeys(p *settings.Price) []key {
	amount := d.number("an amount in US dollars per million tokens", func(v float64) bool { return v >= 0 })
	shape := decode.Number.AtLeast(0)
	return []key{
		setting("input", shape, "Price of input in US dollars per million tokens.", into(&p.Input, amount)).needed(),
		setting("output", shape, "Price of output in US dollars per million tokens.", into(&p.Output, amount)).needed(),
		setting("cached_input", shape, "Price of input that the service had in its cache; that of other input if absent.", into(&p.CachedInput, amount)),
		setting("cache_write", shape, "Price of input that is put into the cache; that of other input if absent.", into(&p.CacheWrite, amount)),
	}
}

// agentKeys is the table of an agent in wfc.yaml. Which kinds take a key is in the
// catalog.
func (d *decoder) agentKeys(a *settings.Agent, command *[]string) []key {
	return []key{
		setting("use", someText, "Another agent that does the work: one of this file, a known one such as `claude`, or a kind of agents such as `acp`.", into(&a.Use, d.text)).like(`"claude"`),
		setting("command", someTexts, "Program that answers, with its arguments. A string is split at spaces.", into(command, d.command)).like(`["./agent", "--fast"]`),
		setting("model", someText, "Model for prompts that name none.", into(&a.Model, d.text)),
		setting("system_prompt", someText, "System prompt for prompts that have none.", into(&a.SystemPrompt, d.text)),
		setting("options", decode.ListOf(decode.OneOf(archon.OptionNames()...)), "Options of prompts that the agent accepts.", into(&a.Options, d.options)),
		setting("program", someText, "Program of the agent, in place of the usual one.", into(&a.Program, d.text)),
		setting("args", decode.ListOf(decode.String), "Arguments of the program, in place of the usual ones.", into(&a.Args, d.arguments)),
		setting("permission", decode.OneOf(permissions()...), "Actions that the agent may take without asking; `safe` if absent.", into(&a.Permission, d.text)),
		setting("base_url", someText.Matching("^https?://"), "Address of the service, without user and password.",
			into(&a.BaseURL, d.word("a URL such as `https://example.com/v1`, without user and password", isAddress))).like(`"https://example.com/v1"`),
		setting("key_variable", decode.String.Matching(namePattern), "Environment variable with the key to the service.",
			into(&a.KeyVariable, d.word("the name of an environment variable such as `MY_API_KEY`, not its value", validVariable))).like(`"MY_API_KEY"`),
		setting("max_tokens", someCount, "Maximum number of tokens that a model writes in a turn.", into(&a.MaxTokens, count[int64](d))),
		setting("price", decode.Object(&priceLevel), "Price of the model.", into(&a.Price, d.price)),
		setting("tags", workerTags, "Tags that a worker needs to perform the agent's nodes on a cluster.", into(&a.WorkerTags, d.tags)).like(`["trusted"]`),
		setting("environment", variables, "Names of variables that the agent gets although they look like secrets, with `*` for any characters.", into(&a.PassEnv, d.variables)),
	}
}

// permissions are those of all kinds of agents.
func permissions() []string {
	var list []string
	for _, k := range catalog.Kinds() {
		for _, p := range k.Permissions {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}
