package config

import (
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Schema returns the JSON Schema (draft 2020-12) of wfc.yaml, made from the tables by which
// Parse reads it. It refuses unknown keys, which Parse reports as errors.
func Schema() []byte { return configFormat().Schema(true) }

// configFormat is the format of wfc.yaml.
func configFormat() keys.Format {
	d := &decoder{config: &Config{}}
	table := func(l decode.Level, list []key) decode.Table {
		t := decode.Table{Level: l}
		for _, k := range list {
			t.Keys = append(t.Keys, k.Key)
		}
		return t
	}
	top, workflow, shape := d.rootKeys(), d.workflowKeys(new(rule)), withCodes(someLevels)
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
		table(budgetsLevel, d.budgetsKeys(new(settings.Budgets))),
		table(budgetLevel, d.budgetKeys(new(settings.Budget))),
		table(interruptLevel, d.interruptKeys(new(settings.Interrupts))),
		table(gatesLevel, d.gatesKeys(new(settings.Project))),
		table(gateRuleLevel, d.gateRuleKeys(new(settings.GateRule))),
		table(quotaLevel, d.quotaKeys(new(settings.Quota))),
		table(notifyLevel, noticeDecoder{d}.notifyKeys(new(settings.Notify))),
		table(noticeLevel, noticeDecoder{d}.noticeKeys(new(settings.NoticeRule))),
		table(escalateLevel, noticeDecoder{d}.escalateKeys(new(settings.Escalation))),
		table(quietLevel, noticeDecoder{d}.quietKeys(new(settings.QuietHours))),
		table(sandboxLevel, d.sandboxKeys(new(settings.Sandbox))),
		table(grantsLevel, d.grantsKeys(new(settings.Grants))),
		table(grantLevel, d.grantKeys(new(settings.Grant))),
		table(programLevel, d.programKeys(new(settings.CodeRunner))),
		table(workflowLevel, workflow),
		table(triggerLevel, triggerDecoder{d}.triggerKeys(new(ir.Trigger))),
		table(onLevel, triggerDecoder{d}.onKeys(new(settings.TriggerSource))),
		table(signalLevel, triggerDecoder{d}.signalKeys(&ir.Trigger{Trigger: settings.Trigger{Signal: new(settings.Signal)}})),
		table(answerLevel, triggerDecoder{d}.answerKeys(new(settings.ChatUser))),
		table(mappedLevel, triggerDecoder{d}.mappedKeys(new(settings.MappedValue))),
	}}
}

// The tables of wfc.yaml: each key with its values, its description, and the function that
// reads it. The reference and the schema are made from them. Unknown keys are errors.

func newLevel(where string) decode.Level { return decode.Level{Where: where, Closed: true} }

var (
	rootLevel        = newLevel("at the top of the file")
	archonLevel      = newLevel("under `archon:`")
	deliveryLevel    = newLevel("under `delivery:`")
	environmentLevel = newLevel("under `environment:`")
	limitsLevel      = newLevel("under `limits:`")
	budgetsLevel     = decode.Level{Where: "under `budgets:`", Closed: true, AnyOf: [][]string{{"day", "month"}}}
	budgetLevel      = decode.Level{Where: "in a budget", Closed: true, AnyOf: [][]string{{"cost_usd", "tokens"}}}
	quotaLevel       = decode.Level{Where: "under `on_quota:`", Closed: true, AnyOf: [][]string{{"use", "wait"}}}
	interruptLevel   = newLevel("under `on_interrupt:`")
	priceLevel       = newLevel("under `price:`")
	channelLevel     = newLevel("in a channel")
	modelLevel       = newLevel("in a model")
	programLevel     = newLevel("in a program")
	workflowLevel    = newLevel("in a workflow")
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
	validVariable = matcherOf(namePattern)
	validTag      = matcherOf(tagPattern)
)

// matcherOf returns a function that reports whether a text has a form.
func matcherOf(pattern string) func(text string) bool {
	form := lazyregexp.New(pattern)
	return func(text string) bool { return form().MatchString(text) }
}

var (
	someText   = decode.FilledString
	someTexts  = someText.Else(decode.ListOf(someText).AtLeast(1))
	someCount  = decode.Integer.Above(0)
	variables  = orList(decode.String.Matching(wildcardPattern))
	workerTags = orList(decode.String.Matching(tagPattern))
	options    = orList(decode.String.Matching(`^-[^= \t\n]+$`))
	someLevels = decode.MapOf(decode.OneOf(levels...)).OrNull()
	levels     = []string{"off", diag.Note.String(), diag.Warning.String(), diag.Error.String()}
	quotaShape = decode.OneOf(plain.Strings(quotaPolicies)...).Else(decode.Object(&quotaLevel))
	// quotaPolicies are those that need no more than their name.
	quotaPolicies = []settings.QuotaPolicy{settings.QuotaFail, settings.QuotaWait}
	// budgetPolicies are in the order of the reference.
	budgetPolicies = []settings.BudgetPolicy{settings.BudgetWait, settings.BudgetAsk, settings.BudgetFail}
	policies       = []settings.Policy{settings.InterruptRerun, settings.InterruptAsk, settings.InterruptFail}
)

// orList is the shape of values of a shape and of lists of them, which may be empty.
func orList(s decode.Shape) decode.Shape { return s.Else(decode.ListOf(s)) }

// formatNames are the names for files of a pattern.
func formatNames() []string { return append(compiler.Dialects(), compiler.NoDialect) }

// newSetting describes a key.
func newSetting(name string, shape decode.Shape, doc string, read func(setting string, n *yamlsrc.Node)) key {
	return key{decode.Key{Name: name, Shape: shape, Doc: doc}, read}
}

// withExamples returns the key with examples, as JSON.
func (k key) withExamples(examples ...string) key {
	k.Examples = examples
	return k
}

// asRequired returns the key as one that a mapping must have.
func (k key) asRequired() key {
	k.Required = true
	return k
}

// withDefault returns the key with the value that counts if it is absent, as JSON.
func (k key) withDefault(value string) key {
	k.Default = value
	return k
}

// rootKeys is the table of wfc.yaml.
func (d *decoder) rootKeys() []key {
	c, p := d.config, &d.config.settings
	return []key{
		newSetting("agents", decode.MapOf(decode.Object(&agentLevel)).OrNull(), "Agents by the names that workflows give them.", d.readAgents).
			withExamples(`{"reviewer": {"use": "claude", "model": "opus"}}`),
		newSetting("archon", decode.Object(&archonLevel).OrNull(), "Rules for workflows of the format archon.", d.mappingReader(d.archonKeys())),
		newSetting("base_branch", someText, "Branch that changes are compared with.", readInto(&p.BaseBranch, d.readText)).withExamples(`"main"`),
		newSetting("budgets", decode.Object(&budgetsLevel), "Limits of what all runs of the project spend in a day and in a month.", d.budgetsReader(&p.Budgets.All)).
			withExamples(`{"day": {"cost_usd": 20}, "month": {"cost_usd": 300}, "at_limit": "ask"}`),
		newSetting("commands", someTexts, "Further folders of command files (prompts).", readInto(&p.Commands, d.readTexts)).withExamples(`"prompts"`),
		newSetting("concurrency", decode.MapOf(someCount).OrNull(), "Maximum number of an agent's turns at the same time, over all runs of your account on the machine, or of a database.", d.readConcurrency).
			withExamples(`{"claude": 3}`),
		newSetting("database", someText, "URL of the database for `store: postgres`, without a password.", readInto(&p.Database, d.readDatabaseURL)).
			withExamples(`"postgres://ann@db.example/wfc"`),
		newSetting("delivery", decode.Object(&deliveryLevel).OrNull(), "Channels that receive results.", d.mappingReader(d.deliveryKeys())),
		newSetting("dialects", decode.MapOf(decode.OneOf(formatNames()...)).OrNull(), "Formats of files, by pattern; `none` is no workflow.", d.readDialects).
			withExamples(`{"flows/**/*.yaml": "archon"}`),
		newSetting("docs_dir", someText, "Folder that `$DOCS_DIR` names in archon workflows.", readInto(&p.DocsDir, d.readText)).withDefault(`"docs/"`),
		newSetting("env", decode.MapOf(decode.String.Else(decode.Number).Else(decode.Bool)).NamedLike(namePattern).OrNull(), "Variables of runs, as if the caller had set them.", readInto(&p.Environ, d.readEnvironment)).
			withExamples(`{"CI": "1"}`),
		newSetting("environment", decode.Object(&environmentLevel).OrNull(), "The caller's variables that processes get.", d.mappingReader(d.environmentKeys())),
		newSetting("exclude", decode.FullString.Else(decode.ListOf(decode.FullString).AtLeast(1)), "Patterns of files and folders that wfc does not check.", readInto(&c.exclude, d.readExcludePatterns)).
			withExamples(`["vendor", "**/*.draft.yaml"]`),
		newSetting("gates", decode.OneOf(plain.Strings(gateModes)...).Else(decode.Object(&gatesLevel)),
			"Which answers to a gate count. `terminal`: only those typed at a terminal; `token`: only those with the run's token; `any`: also those of commands.",
			d.readGates).withDefault(`"any"`),
		newSetting("grant_sets", decode.MapOf(decode.Object(&grantLevel).OrNull()).NamedLike(tagPattern).OrNull(), "The project's own grants, by name.", d.grantSets).
			withExamples(`{"internal": {"hosts": ["git.example.com"], "read": ["~/.config/tool"]}}`),
		newSetting("grants", orList(decode.FilledString).Else(decode.Object(&grantsLevel)),
			"What steps in the sandbox reach beside the project: known grants, or `grant_sets`.", d.readGrants).withExamples(`["github", "npm"]`),
		newSetting("limits", decode.Object(&limitsLevel).OrNull(), "Limits that end a run; `resume` continues it.", d.mappingReader(d.limitKeys())),
		newSetting("max_parallel", someCount, "Maximum number of steps at the same time.", readInto(&p.MaxParallel, countReader[int](d.reader))).withExamples("8"),
		newSetting("models", decode.MapOf(someText.Else(decode.Object(&modelLevel))).OrNull(), "Models by tiers such as `small` and aliases such as `@deep`.", d.readModels).
			withExamples(`{"small": "haiku", "@deep": {"agent": "codex", "model": "big"}}`),
		newSetting("notify", decode.Object(&notifyLevel).OrNull(), "Notices about runs that nobody watches, by event.", noticeDecoder{d}.readNotify(&p.Notify)).
			withExamples(`{"waits": ["slack", "mailto:ops@example.com"], "failed": "slack"}`),
		newSetting("on_interrupt", decode.OneOf(plain.Strings(policies)...).Else(decode.Object(&interruptLevel)),
			"How `resume` treats a step whose process died: run it again, ask a person, or fail it.", d.onInterrupt).withDefault(`"rerun"`),
		newSetting("on_quota", quotaShape, "When an agent's plan or rate of requests is used up, `fail`: the prompt fails; `wait`: the run waits for the reset, at most a day.",
			d.quotaReader(&p.OnQuota)).withDefault(`"fail"`).withExamples(`{"wait": "12h"}`, `{"use": "codex"}`),
		newSetting("programs", decode.MapOf(decode.Object(&programLevel).OrNull()).NamedLike(`^[^/ \t\n]+$`).OrNull(), "Arguments of the project's programs that are run as code, by program.", d.readPrograms).
			withExamples(`{"deploy": {"runs": [2], "options": ["--hook"]}}`),
		newSetting("sandbox", decode.OneOf(plain.Strings(modes)...).Else(decode.Object(&sandboxLevel)),
			"Sandbox of steps. `on`: they reach only what was granted; `report`: the log lists what `on` would refuse.",
			d.readSandbox).withDefault(`"off"`),
		newSetting("scripts", someTexts, "Further folders of named scripts.", readInto(&p.Scripts, d.readTexts)).withExamples(`["tools", "bin"]`),
		newSetting("severities", someLevels, "Severities of warnings and notes, by code or name.", readInto(&c.severities, d.readSeverities)).
			withExamples(`{"WFC530": "error", "unused-ignore": "off"}`),
		newSetting("state", someText, "Folder for the state of runs.", readInto(&p.State, d.readText)).withExamples(`"../wfc-state"`),
		newSetting("store", decode.OneOf(plain.Strings(catalog.StoreKinds())...), "Store that keeps the runs.", readInto(&p.Store, oneOf(d.reader, catalog.StoreKinds()...))).
			withDefault(`"` + string(catalog.StoreKinds()[0]) + `"`),
		newSetting("toolchain", decode.OneOf("auto", "local"), "Go that builds use: an installed one, or with `auto` one that wfc downloads once.",
			readInto(&p.Toolchain, oneOf(d.reader, "auto", "local"))).withDefault(`"auto"`),
		newSetting("workflows", decode.MapOf(decode.Object(&workflowLevel).OrNull()).OrNull(), "Settings of single workflows, by pattern.", d.readWorkflows).
			withExamples(`{"reports/*.yaml": {"schedule": "0 7 * * *", "deliver_to": ["slack"]}}`),
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

func (d *decoder) archonKeys() []key {
	p := &d.config.settings
	return []key{
		newSetting("until", decode.OneOf("word", "strict"),
			"Where `until` finds the word that ends a loop. `word`: anywhere in the reply; `strict`: in a tag, at the end of the reply, or alone on a line.",
			func(setting string, n *yamlsrc.Node) {
				p.Archon.LooseUntil = d.readChoice(setting, n, []string{"word", "strict"}) == "strict"
			}).withDefault(`"word"`),
		newSetting("version", decode.String.Matching(`^[0-9]{1,5}(\.[0-9]{1,5}){1,2}$`).Else(decode.Number), "Version of Archon whose rules hold for every workflow.",
			readInto(&p.Archon.Version, d.readVersion)).withExamples(`"0.9"`),
	}
}

func (d *decoder) deliveryKeys() []key {
	return []key{
		newSetting("default", someTexts, "Targets of lango workflows whose result has no other target.", readInto(&d.config.settings.DeliverTo, d.defaultTargets)).withExamples(`["slack"]`),
		newSetting("channels", decode.MapOf(decode.Object(&channelLevel).OrNull()).OrNull(), "Channels by name.", d.readChannels).
			withExamples(`{"slack": {"url_variable": "SLACK_WEBHOOK_URL"}}`),
	}
}

func (d *decoder) channelKeys(c *settings.Channel) []key {
	secret := decode.FilledString.Matching(secretPattern)
	return []key{
		newSetting("kind", decode.OneOf(channelKinds()...), "Kind of the channel; the name of the channel if that is a kind.", readInto(&c.Kind, oneOf(d.reader, channelKinds()...))),
		newSetting("url_variable", secret, "Environment variable with the URL; of mail, `smtps://USER:PASSWORD@HOST` or `smtp://…`, which requires STARTTLS.", readInto(&c.URLVariable, d.secretVariable)).withExamples(`"SLACK_WEBHOOK_URL"`),
		newSetting("token_variable", secret, "Environment variable with the token of a bot.", readInto(&c.TokenVariable, d.secretVariable)).withExamples(`"OPS_BOT_TOKEN"`),
		newSetting("receiver", someText, "Receiver of results whose target names none.", readInto(&c.Receiver, d.readText)).withExamples(`"42"`),
		newSetting("base_url", someText, "Address of the service, in place of the usual one.", readInto(&c.BaseURL, d.readText)),
		newSetting("command", someTexts, "Program of the kind `command`, which reads the message on standard input.", readInto(&c.Command, d.readCommand)).withExamples(`["./page", "--team", "ops"]`),
	}
}

func (d *decoder) environmentKeys() []key {
	e := &d.config.settings.PassEnv
	return []key{
		newSetting("agents", variables, "Variables that agents get; `*` is any characters. By default all that are not secrets.", readInto(&e.Agents, d.readVariables)).
			withExamples(`["AWS_*", "GH_TOKEN"]`),
		newSetting("scripts", variables, "Variables that scripts get. By default all.", readInto(&e.Scripts, d.readVariables)),
	}
}

func (d *decoder) limitKeys() []key {
	l := &d.config.settings.Limits
	return []key{
		newSetting("cost_usd", decode.Number.Above(0), "Maximum cost in US dollars.",
			readInto(&l.CostUSD, d.readCost)).withExamples("5"),
		newSetting("tokens", someCount, "Maximum number of tokens.", readInto(&l.Tokens, countReader[int64](d.reader))).withExamples("200000"),
	}
}

func (d *decoder) interruptKeys(o *settings.Interrupts) []key {
	shape, policy := decode.OneOf(plain.Strings(policies)...), oneOf(d.reader, policies...)
	keys := []key{newSetting("default", shape, "Policy of all nodes, also of kinds without a key here, such as `wait`.", readInto(&o.Default, policy))}
	for _, kind := range []string{"approval", "bash", "loop", "prompt", "script"} {
		doc := "Policy of " + kind + " nodes."
		if kind == "script" {
			doc = "Policy of script nodes and of xprompt's `python`."
		}
		keys = append(keys, newSetting(kind, shape, doc, func(setting string, n *yamlsrc.Node) { o.Kinds[kind] = policy(setting, n) }))
	}
	return append(keys, newSetting("nodes", decode.MapOf(shape).OrNull(), "Policies of single nodes, by id.", func(setting string, n *yamlsrc.Node) {
		o.Nodes = map[string]settings.Policy{}
		for pair := range d.mappingPairs(setting, n) {
			o.Nodes[pair.Key.Value] = policy(joinSetting(setting, pair.Key.Value), pair.Value)
		}
	}).withExamples(`{"deploy": "fail"}`))
}

func (d *decoder) modelKeys(m *settings.Model, at **yamlsrc.Node) []key {
	return []key{
		newSetting("agent", someText, "Agent that has the model; it answers, whatever agent the prompt names.", func(setting string, n *yamlsrc.Node) {
			if m.Agent = d.readText(setting, n); m.Agent != "" {
				d.later = append(d.later, func() { d.readChoice(setting, n, d.agentNames()) })
			}
		}).withExamples(`"codex"`),
		newSetting("model", someText, "The model's own name.", func(setting string, n *yamlsrc.Node) { m.Model, *at = d.readText(setting, n), n }).asRequired(),
		newSetting("effort", decode.OneOf(dialect.Efforts...), "Reasoning effort of prompts that set none.", func(setting string, n *yamlsrc.Node) { m.Effort = d.readChoice(setting, n, dialect.Efforts) }),
	}
}

func (d *decoder) programKeys(p *settings.CodeRunner) []key {
	operand := decode.Integer.Above(0).OrQuoted()
	return []key{
		newSetting("runs", decode.OneOf("all").Else(orList(operand)), "Operands that the program runs as code, counted from 1.", readInto(&p.CodeArguments, d.readOperands)).withExamples("[2]"),
		newSetting("options", options, "Options whose argument the program runs as code.", readInto(&p.CodeFlags, d.readFlags)).withExamples(`["--hook", "-e"]`),
		newSetting("values", options, "Further options that take an argument.", readInto(&p.ValueFlags, d.readFlags)).withExamples(`["-C"]`),
	}
}

func (d *decoder) workflowKeys(r *rule) []key {
	return []key{
		newSetting("budgets", decode.Object(&budgetsLevel), "Limits of all runs of each of these workflows.", d.budgetsReader(&r.budgets)).
			withExamples(`{"day": {"cost_usd": 5}}`),
		newSetting("deliver_to", someTexts, "Targets of the result.", readInto(&r.deliverTo, d.readTargets)).withExamples(`["slack"]`),
		newSetting("notify", decode.Object(&notifyLevel).OrNull(), "As `notify` at the top, which it replaces by event.", noticeDecoder{d}.readNotify(&r.notify)).
			withExamples(`{"completed": "slack", "failed": []}`),
		newSetting("on_quota", quotaShape, "As `on_quota` at the top, for these workflows.", d.quotaReader(&r.onQuota)).withExamples(`"wait"`),
		newSetting("severities", someLevels, "Severities for these files.", readInto(&r.severities, d.readSeverities)).
			withExamples(`{"unused-ignore": "off"}`),
		newSetting("tags", decode.MapOf(workerTags).OrNull(), "Tags that a worker needs for a node, by node id.", r.readTags(d)).
			withExamples(`{"train": "gpu", "deploy": ["trusted"]}`),
		newSetting("triggers", decode.ListOf(decode.Object(&triggerLevel)).OrNull(), "Webhooks, files and branches that start runs while `listen` runs.", r.readTriggers(triggerDecoder{d})).
			withExamples(`[{"on": {"branch": "main"}, "inputs": {"arguments": "/commit"}}]`),
		newSetting("schedule", someText.With("(cron expression)"), "When the commands `schedule` and `listen` start runs.", readInto(&r.schedule, d.readSchedule)).withExamples(`"0 7 * * *"`),
	}
}

func (d *decoder) priceKeys(p *settings.Price) []key {
	amount := d.numberReader("an amount in US dollars per million tokens", func(v float64) bool { return v >= 0 })
	shape := decode.Number.AtLeast(0)
	return []key{
		newSetting("input", shape, "Price of input in US dollars per million tokens.", readInto(&p.Input, amount)).asRequired(),
		newSetting("output", shape, "Price of output in US dollars per million tokens.", readInto(&p.Output, amount)).asRequired(),
		newSetting("cached_input", shape, "Price of input that the service had in its cache; by default that of other input.", readInto(&p.CachedInput, amount)),
		newSetting("cache_write", shape, "Price of input that goes into the cache; by default that of other input.", readInto(&p.CacheWrite, amount)),
	}
}

// agentKeys is the table of an agent in wfc.yaml. Which kinds take a key is in the
// catalog.
func (d *decoder) agentKeys(a *settings.Agent, command *[]string) []key {
	return []key{
		newSetting("use", someText, "Another agent that does the work: one of this file, or a known one.", readInto(&a.Use, d.readText)).withExamples(`"claude"`),
		newSetting("command", someTexts, "Program that answers, with its arguments; a string is split at spaces.", readInto(command, d.readCommand)).withExamples(`["./agent", "--fast"]`),
		newSetting("model", someText, "Model for prompts that name none.", readInto(&a.Model, d.readText)),
		newSetting("system_prompt", someText, "System prompt for prompts that have none.", readInto(&a.SystemPrompt, d.readText)),
		newSetting("options", decode.ListOf(decode.OneOf(archon.OptionNames()...)), "Options of prompts that the agent accepts.", readInto(&a.Options, d.readOptions)),
		newSetting("program", someText, "Program of the agent, in place of the usual one.", readInto(&a.Program, d.readText)),
		newSetting("args", decode.ListOf(decode.String), "Arguments of the program, in place of the usual ones.", readInto(&a.Args, d.readArguments)),
		newSetting("permission", decode.OneOf(allPermissions()...), "Actions that the agent may take without asking; `safe` if absent.", readInto(&a.Permission, d.readText)),
		newSetting("base_url", someText.Matching("^https?://"), "Address of the service, without user and password.",
			readInto(&a.BaseURL, d.wordReader("a URL such as `https://example.com/v1`, without user and password", isAddress))).withExamples(`"https://example.com/v1"`),
		newSetting("key_variable", decode.String.Matching(namePattern), "Environment variable with the key to the service.",
			readInto(&a.KeyVariable, d.wordReader("the name of an environment variable such as `MY_API_KEY`, not its value", validVariable))).withExamples(`"MY_API_KEY"`),
		newSetting("max_tokens", someCount, "Maximum number of tokens that a model writes in a turn.", readInto(&a.MaxTokens, countReader[int64](d.reader))),
		newSetting("price", decode.Object(&priceLevel), "Price of the model.", readInto(&a.Price, d.readPrice)),
		newSetting("on_quota", quotaShape, "As `on_quota` at the top, for this agent.", d.quotaReader(&a.OnQuota)).withExamples(`"wait"`),
		newSetting("tags", workerTags, "Tags that a worker needs for the agent's nodes.", readInto(&a.WorkerTags, d.readTagList)).withExamples(`["trusted"]`),
		newSetting("environment", variables, "Variables that the agent gets although they look like secrets.", readInto(&a.PassEnv, d.readVariables)),
	}
}

// allPermissions are those of all kinds of agents.
func allPermissions() []string {
	var list []string
	for _, k := range catalog.Kinds() {
		list = plain.AddNew(list, k.Permissions...)
	}
	return list
}
