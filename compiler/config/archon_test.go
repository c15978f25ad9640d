package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Findings about Archon's configuration are warnings about wrong values, and one note about
// settings that ask for something.
func TestArchonFindings(t *testing.T) {
	const launch = `"launch": {"cwd": "/x", "workflowName": "w"}`
	const binding = `"bindingId": "b", "hostId": "h", "runAsUserId": "u", "resource": "r"`
	const start, secret = binding + `, "overlap": "queue", ` + launch, `"webhookSecretEnv": "S"`
	hooks := func(config string) string {
		return `{"sources": [{"sourceInstanceId": "github", "config": {` + config + `}}]}`
	}
	for yaml, want := range map[string]string{
		"":                    "",
		"[1]":                 "",
		"a: [":                "",
		"defaultAssistant: 5": "",
		"worktree: {baseBranch: 5}\ndocs: {path: [a]}":                              "warning worktree.baseBranch, warning docs.path",
		"worktree: {baseBranch: main}\ndocs: {path: d}":                             "",
		"worktree: {copyFiles: [.env], initSubmodules: false, path: w}":             "note worktree.copyFiles",
		"assistants: {claude: {model: x}}\ncommands: {folder: c}":                   "note assistants",
		"assistant: codex\nassistants: {mine: {model: x}}":                          "note assistant",
		"assistant: claude\nassistants: {claude: {webSearch: on}}":                  "",
		"workflows: {autoResumeOnQuotaReset: false, quotaMaxAttempts: 1, other: 2}": "",
		"workflows: {autoResumeOnQuotaReset: true}":                                 "",
		"workflows: {autoResumeOnQuotaReset: yes please}":                           "warning workflows.autoResumeOnQuotaReset",
		"workflows: {autoResumeOnQuotaRest: true}":                                  "warning autoResumeOnQuotaRest",
		"concurency: {providers: {pi: 1}}":                                          "warning concurency",
		"workflows: {quotaMaxAttempts: 0}":                                          "warning workflows.quotaMaxAttempts",
		"workflows: {quotaDeadlineMs: 31536000000001}":                              "warning workflows.quotaDeadlineMs",
		"workflows: {quotaDeadlineMs: 0.5, quotaFallbackDelayMs: 0}":                "warning workflows.quotaFallbackDelayMs",
		"workflows: 3":                                                      "warning workflows",
		"concurrency:":                                                      "",
		"concurrency: {maxConversations: x}":                                "",
		"concurrency: {providers: {pi: 1, mine: 2}}":                        "",
		"concurrency: {providers: {pi: 1.5}}":                               "warning concurrency.providers.pi",
		"concurrency: {providers: {nobody: 1}}":                             "warning concurrency.providers.nobody",
		"modelRouter: {mode: off}":                                          "",
		"modelRouter: {tiers: [small], mode: apply}":                        "note modelRouter",
		"modelRouter: {tiers: [tiny], mode: 'on'}":                          "warning modelRouter.tiers, warning modelRouter.mode, note modelRouter",
		"container: {image: x, network: none, memoryMb: 1, pidsLimit: 1}":   "",
		"container: {enabled: true, network: host}":                         "warning container.network, note container.enabled",
		`{"binding": {` + binding + `, "overlap": "skip", ` + launch + `}}`: "note binding",
		`{"binding": {` + binding + `, "overlap": "allow", "capacity": 0, "launch": {"cwd": "/x"}}}`: "warning binding.launch.workflowName, warning binding.overlap, warning binding.capacity, note binding",
		`{"binding": null, "schedule": {"intervalSeconds": 0}}`:                                      "warning schedule.runAtLoad, warning schedule.intervalSeconds",
		`{"sources": [{"module": "m"}]}`:                                                             "warning sources[0].config, warning sources[0].sourceInstanceId",
		hooks(`"bindings": []`):                                                                      "warning sources[0].config.webhookSecretEnv",
		hooks(secret + `, "host": "ghe.example", "bindings": [{` + start + `}]`):                     "warning sources[0].config.host, warning sources[0].config.bindings[0].selector, note sources[0].config.bindings[0].resource",
		hooks(secret + `, "bindings": [{` + start + `, "selector": {"kind": "pr.lifecycle", "actions": ["opened"]}, "inputMapping": {"a": {"source": "field"}, "b": {"source": "literal", "value": 1}, "c": {"source": "x"}}}]`): "warning sources[0].config.bindings[0].inputMapping.a.field, warning sources[0].config.bindings[0].inputMapping.c.source, note sources[0].config.bindings[0].resource",
		hooks(secret + `, "bindings": [{` + start + `, "selector": {"kind": "pr.lifecycle", "actions": ["added"]}}]`):                                                                                                            "warning sources[0].config.bindings[0].selector.actions, note sources[0].config.bindings[0].resource",
		hooks(secret + `, "bindings": [{` + start + `, "selector": {"kind": "pr.lifecycle", "actions": ["opened"], "predicates": [{"field": "label.name", "equals": "x"}]}}]`):                                                   "warning sources[0].config.bindings[0].selector.predicates[0], note sources[0].config.bindings[0].resource",
		hooks(secret + `, "bindings": [{` + start + `, "selector": {"kind": "check.changed", "actions": ["changed"]}, "inputMapping": {"a": {"source": "field", "field": "check.phase"}}}]`):                                     "warning sources[0].config.bindings[0].inputMapping.a, note sources[0].config.bindings[0].resource",
		hooks(secret + `, "bindings": [{` + start + `, "selector": {"kind": "pr.lifecycle", "actions": ["merged", "opened"]}, "inputMapping": {"a": {"source": "field", "field": "event.action"}}}]`):                            "warning sources[0].config.bindings[0].inputMapping.a, note sources[0].config.bindings[0].resource",
	} {
		_, list := parseArchon(source.NewFile("config.yaml", []byte(yaml)), settings.Agents{{Name: "mine", Model: "x"}})
		var got []string
		for _, d := range list {
			_, rest, _ := strings.Cut(d.Message, "`")
			name, _, _ := strings.Cut(rest, "`")
			got = append(got, d.Severity.String()+" "+name)
			if !d.Span.IsValid() || d.Severity.String() == "note" && len(d.Help) == 0 {
				t.Errorf("%s: %s has no place, or says nothing that helps", yaml, d.Message)
			}
		}
		slices.Sort(got)
		expected := strings.Split(want, ", ")
		slices.Sort(expected)
		if strings.Join(got, ", ") != strings.Join(expected, ", ") {
			t.Errorf("%s\ngot  %s\nwant %s", yaml, got, expected)
		}
	}
}

// The settings as they are decoded.
func TestArchonSettings(t *testing.T) {
	a, _ := parseArchon(source.NewFile("config.yaml", []byte(`
workflows: {autoResumeOnQuotaReset: true, quotaFallbackDelayMs: 1500, quotaMaxAttempts: 3, quotaDeadlineMs: 31536000000000}
concurrency: {providers: {pi: 1}}
modelRouter: {tiers: [medium], mode: shadow}
binding: {bindingId: b, hostId: h, runAsUserId: u, resource: r, overlap: skip, capacity: 2, launch: {cwd: /x, workflowName: w, inputs: {n: 1}}}
schedule: {intervalSeconds: 90, runAtLoad: true}
`)), nil)
	want := &archonSettings{
		Quota: archonQuota{Resume: true, Fallback: 1500 * time.Millisecond, Deadline: time.Duration(1<<63 - 1), Attempts: 3},
		Caps:  map[string]int{"pi": 1},
	}
	want.Quota.Deadline = a.Quota.Deadline // the longest time that there is, in whole milliseconds
	if !reflect.DeepEqual(a, want) || a.Quota.Deadline < 290*365*24*time.Hour {
		t.Errorf("got  %+v\nwant %+v", a, want)
	}
}

// Runs of archon workflows follow the quotas and the concurrency of Archon's configuration where
// wfc.yaml sets nothing.
func TestArchonTurns(t *testing.T) {
	file := source.NewFile(ArchonFile, []byte("workflows: {autoResumeOnQuotaReset: true, quotaFallbackDelayMs: 60000, quotaMaxAttempts: 3, quotaDeadlineMs: 7200000}\nconcurrency: {providers: {claude: 2, pi: 1}}\n"))
	archons := settings.Quota{Policy: settings.QuotaWait, MaxWait: 2 * time.Hour, FirstWait: time.Minute, MaxWaits: 3}
	for _, test := range []struct {
		yaml, dialect string
		quota         settings.Quota
		most          map[string]int
	}{
		{"", "archon", archons, map[string]int{"claude": 2, "pi": 1}},
		{"", "lango", settings.Quota{}, nil},
		{"concurrency: {claude: 5}\non_quota: fail\n", "archon", settings.Quota{Policy: settings.QuotaFail}, map[string]int{"claude": 5, "pi": 1}},
		{"workflows: {\"*.yaml\": {on_quota: {wait: 1h}}}\n", "archon", settings.Quota{Policy: settings.QuotaWait, MaxWait: time.Hour}, map[string]int{"claude": 2, "pi": 1}},
		{"concurrency: {codex: 1}\n", "xprompt", settings.Quota{}, map[string]int{"codex": 1}},
	} {
		c, findings := Parse(source.NewFile(FileName, []byte(test.yaml)))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		c.Dir = "/p"
		quota, most := c.WithArchon(file).TurnsOf("/p/a.yaml", test.dialect)
		if quota != test.quota || !reflect.DeepEqual(most, test.most) {
			t.Errorf("%q, %s: %+v %v", test.yaml, test.dialect, quota, most)
		}
	}
	c := new(Config).WithArchon(source.NewFile(ArchonFile, []byte("workflows: {autoResumeOnQuotaReset: false, quotaMaxAttempts: 3}\n")))
	if quota, most := c.TurnsOf("/p/a.yaml", "archon"); quota != (settings.Quota{}) || most != nil {
		t.Errorf("%+v %v", quota, most)
	}
}

// Each event that a binding of Archon selects is a trigger: with GitHub's name of the event, the
// place of each field in GitHub's payload, and a condition.
func TestArchonSources(t *testing.T) {
	const binding = `"hostId": "h", "runAsUserId": "u", "resource": "r", "overlap": "queue", "launch": {"cwd": "/x", "workflowName": "w", "inputs": {"n": 1}}`
	file := func(bindings string) *source.File {
		return source.NewFile("hooks.json", []byte(`{"sources": [{"sourceInstanceId": "github", "config": {"webhookSecretEnv": "S", "bindings": [`+bindings+`]}}]}`))
	}
	for _, test := range []struct{ selector, inputs, want string }{
		{`"kind": "issue.lifecycle", "actions": ["opened", "closed"]`, `"a": {"source": "field", "field": "event.action"}, "n": {"source": "literal", "value": "x"}`,
			`issues (action=opened or action=closed) a=/action n="x"`},
		{`"kind": "pr.lifecycle", "actions": ["merged"], "subject": {"kind": "pr", "number": 9}`, `"a": {"source": "field", "field": "event.action"}, "b": {"source": "field", "field": "pr.head.objectId"}`,
			`pull_request ((action=closed and pull_request.merged=true) and pull_request.number=9) n=1 a="merged" b=/pull_request/head/sha`},
		{`"kind": "pr.lifecycle", "actions": ["closed"]`, ``, `pull_request (action=closed and not pull_request.merged=true) n=1`},
		{`"kind": "label.changed", "actions": ["added"], "predicates": [{"field": "label.name", "in": ["a", "b"]}]`, `"i": {"source": "field", "field": "subject.number"}, "k": {"source": "field", "field": "subject.kind"}`,
			`issues (action=labeled and (label.name=a or label.name=b)) n=1 i=/issue/number k="issue"; pull_request (action=labeled and (label.name=a or label.name=b)) n=1 i=/pull_request/number k="pr"`},
		{`"kind": "check.changed", "actions": ["changed"], "predicates": [{"field": "check.result", "equals": "failure"}]`, `"s": {"source": "field", "field": "check.revision"}`,
			`check_run check_run.conclusion=failure n=1 s=/check_run/head_sha; status (state=failure or state=error) n=1 s=/sha`},
		{`"kind": "check.changed", "actions": ["changed"], "predicates": [{"field": "check.unit.kind", "equals": "check"}]`, ``, `check_run always n=1`},
	} {
		one := `{"bindingId": "b", ` + binding + `, "selector": {` + test.selector + `}, "inputMapping": {` + test.inputs + `}}`
		var got []string
		for _, x := range new(Config).WithArchon(file(one)).Options("/p/a.yaml").Triggers {
			text := x.On.Events[0] + " " + conditionText(x.Filter)
			for _, m := range x.Inputs {
				text += " " + m.Name + "=" + m.Pointer + m.Literal
			}
			got = append(got, text)
			if x.On.Path != "/webhooks/sources/github" || x.On.SecretVariable != "S" || x.Workflow != "w" {
				t.Errorf("%+v", x.On)
			}
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.selector, strings.Join(got, "; "), test.want)
		}
	}
	// Several bindings may start different workflows, so each has a URL.
	two := `{"bindingId": "b", ` + binding + `, "selector": {"kind": "issue.lifecycle", "actions": ["opened"]}}`
	list := new(Config).WithArchon(file(two + ", " + strings.Replace(two, `"b"`, `"c"`, 1))).Options("/p/a.yaml").Triggers
	if len(list) != 2 || list[0].On.Path != "/webhooks/sources/github/b" || list[1].On.Path != "/webhooks/sources/github/c" {
		t.Errorf("%+v", list)
	}
}

// conditionText writes the condition of a trigger.
func conditionText(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Logic:
		return "(" + conditionText(e.X) + [...]string{" and ", " or "}[e.Op] + conditionText(e.Y) + ")"
	case *expr.Not:
		return "not " + conditionText(e.X)
	case *expr.Compare:
		return strings.Join(e.X.(*expr.Payload).Path, ".") + "=" + e.Y.(*expr.Literal).Text
	}
	return "always"
}

// Runs take the base branch and the folder of documents from Archon's configuration, unless
// wfc.yaml sets others.
func TestArchonProject(t *testing.T) {
	file := source.NewFile(ArchonFile, []byte("worktree: {baseBranch: trunk}\ndocs: {path: pages}\n"))
	for own, want := range map[string]string{"{}": "trunk pages", "base_branch: main\ndocs_dir: d": "main d"} {
		c, list := Parse(source.NewFile("wfc.yaml", []byte(own)))
		if len(list) > 0 {
			t.Fatal(list)
		}
		p := c.WithArchon(file).Settings("")
		if got := p.BaseBranch + " " + p.DocsDir; got != want {
			t.Errorf("%s: %s, not %s", own, got, want)
		}
	}
}
