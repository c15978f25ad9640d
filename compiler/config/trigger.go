package config

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var (
	triggerLevel = newLevel("in a trigger")
	onLevel      = decode.Level{Where: "under `on:` of a trigger", Closed: true, AnyOf: [][]string{{"webhook", "files", "branch"}}}
	signalLevel  = decode.Level{Where: "under `signal:` of a trigger", Closed: true, AnyOf: [][]string{{"run", "match"}}}
	answerLevel  = decode.Level{Where: "under `answer:` of a trigger", Closed: true}
	mappedLevel  = decode.Level{Where: "in a mapped value", Closed: true, AnyOf: [][]string{{"from", "value"}}}
)

// The shapes of the values of triggers.
const (
	pointerPattern = `^(/|$)`
	routePattern   = `^/[A-Za-z0-9_./-]*$`
	headerPattern  = `^[A-Za-z0-9-]+$`
)

var (
	somePointer  = decode.String.Matching(pointerPattern).With("(JSON Pointer)")
	mappedShape  = decode.String.Else(decode.Number).Else(decode.Bool).Else(decode.Object(&mappedLevel))
	hasRouteForm = matcherOf(routePattern)
	isHeader     = matcherOf(headerPattern)
	webhookKinds = []settings.WebhookKind{settings.WebhookGitHub, settings.WebhookGitLab, settings.WebhookSlack, settings.WebhookHMAC}
)

// A triggerDecoder reads triggers.
type triggerDecoder struct{ *decoder }

// readTriggers returns the function that reads the triggers of a rule.
func (r *rule) readTriggers(d triggerDecoder) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) {
		if n.IsNull() {
			return
		}
		if n.Kind != yamlsrc.Sequence {
			d.reportWrong(setting, n, "a list of triggers, each with `on`")
			return
		}
		for i, item := range n.Items {
			t := ir.Trigger{Setting: joinIndex(setting, i), Span: item.Place()}
			if item.Kind != yamlsrc.Mapping {
				d.reportWrong(t.Setting, item, "a mapping with `on`")
				continue
			}
			before := d.bag.Len()
			d.readSection(t.Setting, item, d.triggerKeys(&t))
			d.checkTrigger(&t, item)
			if d.bag.Len() == before {
				r.triggers = append(r.triggers, t)
			}
		}
	}
}

func (d triggerDecoder) triggerKeys(t *ir.Trigger) []key {
	return []key{
		newSetting("on", decode.Object(&onLevel), "What starts the workflow: a signed webhook, a file, or a new commit of a branch.", func(setting string, n *yamlsrc.Node) {
			if n.Kind != yamlsrc.Mapping {
				d.reportWrong(setting, n, "a mapping with `webhook`, `files` or `branch`")
				return
			}
			d.readSection(setting, n, d.onKeys(&t.On))
			d.checkSource(setting, n, &t.On)
		}).asRequired().withExamples(`{"webhook": "github", "path": "/hooks/triage", "secret_variable": "GITHUB_SECRET", "events": ["issues"]}`, `{"files": "inbox/*.json"}`, `{"branch": "main"}`),
		newSetting("when", someText.With("(condition)"), "Condition of the workflow's format about `payload`; if it doesn't hold, nothing happens.", func(setting string, n *yamlsrc.Node) {
			if d.readText(setting, n) != "" {
				t.When = n.Text()
			}
		}).withExamples(`"$payload.action == 'opened'"`),
		newSetting("inputs", decode.MapOf(mappedShape).OrNull(), "Inputs of the run: constants, or places in the payload, which start with `/`.", func(setting string, n *yamlsrc.Node) {
			t.Inputs, t.InputPlaces = d.readMapped(setting, n)
		}).withExamples(`{"arguments": "/issue/title", "limit": 3, "label": {"from": "/label/name", "default": "none"}}`),
		newSetting("signal", decode.Object(&signalLevel), "Event for waiting runs, in place of starting one. It never answers a gate.", func(setting string, n *yamlsrc.Node) {
			if n.Kind != yamlsrc.Mapping {
				d.reportWrong(setting, n, "a mapping with `event`")
				return
			}
			t.Signal = &settings.Signal{}
			d.readSection(setting, n, d.signalKeys(t))
			if n.Pair("event") == nil {
				d.bag.Add(finding.MissingSetting(n.Place(), joinSetting(setting, "event")))
			}
			if (n.Pair("run") == nil) == (n.Pair("match") == nil) {
				d.reportWrong(setting, n, "a mapping with either `run` or `match`")
			}
		}).withExamples(`{"event": "merged", "match": {"number": "/pull_request/number"}}`),
		newSetting("answer", decode.MapOf(decode.Object(&answerLevel).OrNull()), "Users of Slack or GitHub who may answer questions, in place of starting a run.", func(setting string, n *yamlsrc.Node) {
			for pair := range d.mappingPairs(setting, n) {
				u := settings.ChatUser{User: pair.Key.Value}
				if !pair.Value.IsNull() {
					d.readSection(joinSetting(setting, u.User), pair.Value, d.answerKeys(&u))
				}
				t.Answer = append(t.Answer, u)
			}
			if len(t.Answer) == 0 {
				d.reportWrong(setting, n, "a mapping of users to `name` and `roles`")
			}
		}).withExamples(`{"U012ABCDEF": {"name": "ann"}, "U034GHIJKL": {"name": "bob", "roles": ["approver", "release"]}}`),
	}
}

// namesReader reads a name or a list of names.
func (d triggerDecoder) namesReader(of string) func(setting string, n *yamlsrc.Node) []string {
	return listReader(d.reader, "the name of "+of+", or a list of names", func(n *yamlsrc.Node) (string, bool) {
		return n.Value, n.IsString() && strings.TrimSpace(n.Value) != ""
	})
}

func (d triggerDecoder) answerKeys(u *settings.ChatUser) []key {
	return []key{
		newSetting("name", someText, "Name of the person.", readInto(&u.Name, d.readText)).withExamples(`"ann"`),
		newSetting("roles", orList(someText), "Roles of the person.", readInto(&u.Roles, d.namesReader("a role"))).withExamples(`["approver"]`),
	}
}

func (d triggerDecoder) onKeys(s *settings.TriggerSource) []key {
	g := &s.Signature
	header := decode.String.Matching(headerPattern)
	readHeader := d.wordReader("the name of a header such as `X-Signature`", isHeader)
	return []key{
		newSetting("webhook", decode.OneOf(plain.Strings(webhookKinds)...), "Service whose signed requests start the workflow; `hmac` is every service that signs the body by HMAC.", readInto(&s.Webhook, oneOf(d.reader, webhookKinds...))),
		newSetting("path", decode.String.Matching(routePattern), "Path of the webhook's URL.", readInto(&s.Path, d.wordReader("a path such as `/hooks/triage`", isRoute))).withExamples(`"/hooks/triage"`),
		newSetting("secret_variable", decode.FilledString.Matching(secretPattern), "Environment variable with the secret of the webhook.", readInto(&s.SecretVariable, d.secretVariable)).withExamples(`"GITHUB_SECRET"`),
		newSetting("events", orList(someText), "Events of the service that count; all if absent.", readInto(&s.Events, d.namesReader("an event"))).withExamples(`["issues", "pull_request"]`),
		newSetting("per_minute", someCount, "Maximum number of authentic requests per minute.", readInto(&s.PerMinute, countReader[int](d.reader))).withDefault("60"),
		newSetting("signature_header", header, "Header with the signature, for `hmac`.", readInto(&g.Header, readHeader)).withExamples(`"X-Signature"`),
		newSetting("signature_prefix", someText, "Text before the signature.", readInto(&g.Prefix, d.readText)).withExamples(`"sha256="`),
		newSetting("algorithm", decode.OneOf("sha256", "sha512"), "Hash of the signature, for `hmac`.", readInto(&g.Algorithm, oneOf(d.reader, "sha256", "sha512"))).withDefault(`"sha256"`),
		newSetting("encoding", decode.OneOf("hex", "base64"), "Notation of the signature, for `hmac`.", readInto(&g.Encoding, oneOf(d.reader, "hex", "base64"))).withDefault(`"hex"`),
		newSetting("timestamp_header", header, "Header with the time in seconds since 1970. The signed content is then this time, a point and the body.", readInto(&g.TimestampHeader, readHeader)),
		newSetting("id_header", header, "Header with the id of the delivery, for `hmac`. Without it, equal content counts as the same delivery.", readInto(&g.IDHeader, readHeader)),
		newSetting("event_header", header, "Header with the name of the event, for `hmac`.", readInto(&g.EventHeader, readHeader)),
		newSetting("files", decode.FullString, "Pattern of files, relative to the folder of `wfc.yaml`. Each content of a file counts once.", readInto(&s.Files, d.readFilePattern)).withExamples(`"inbox/*.json"`),
		newSetting("branch", someText, "Branch whose new commits count.", readInto(&s.Branch, d.wordReader("the name of a branch such as `main`", isBranch))).withExamples(`"main"`),
		newSetting("repository", someText, "Repository of the branch: a URL, a folder, or the name of a remote; `origin` if absent.", readInto(&s.Repository, d.wordReader("a URL, a folder or a remote, which doesn't start with `-`", func(text string) bool {
			return strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "-")
		}))),
		newSetting("every", decode.String.Matching(spanPattern), "Time between two checks of a branch or files.", readInto(&s.Every, d.readSpan)).withExamples(`"5m"`),
	}
}

func (d triggerDecoder) signalKeys(t *ir.Trigger) []key {
	s := t.Signal
	return []key{
		newSetting("event", someText, "Name of the event that a node of the workflow waits for.", func(setting string, n *yamlsrc.Node) {
			s.Event, t.EventSpan = d.readText(setting, n), n.Place()
		}).asRequired().withExamples(`"merged"`),
		newSetting("run", somePointer, "Place of the run's id in the payload.", readInto(&s.Run, d.readPointer)).withExamples(`"/client_payload/run"`),
		newSetting("match", decode.MapOf(mappedShape), "Inputs of the waiting runs that it reaches.", func(setting string, n *yamlsrc.Node) {
			if s.Match, t.MatchPlaces = d.readMapped(setting, n); len(s.Match) == 0 && n.IsNull() {
				d.reportWrong(setting, n, "a mapping of inputs to values")
			}
		}).withExamples(`{"number": "/pull_request/number"}`),
		newSetting("payload", somePointer, "Place of the value that the runs get; the whole payload if absent.", readInto(&s.Payload, d.readPointer)).withExamples(`"/pull_request"`),
	}
}

func (d triggerDecoder) mappedKeys(m *settings.MappedValue) []key {
	anyJSON := func(setting string, n *yamlsrc.Node) string { return n.JSON() }
	return []key{
		newSetting("from", somePointer, "Place of the value in the payload; empty for the whole payload.", readInto(&m.Pointer, d.readPointer)).withExamples(`"/issue/title"`),
		newSetting("default", decode.Any, "Value if the payload has none there; without it, the input's own default.", readInto(&m.Default, anyJSON)),
		newSetting("value", decode.Any, "Constant, for one that starts with `/` and for lists and objects.", readInto(&m.Literal, anyJSON)),
	}
}

// readMapped reads values that a trigger takes from its payload.
func (d triggerDecoder) readMapped(setting string, n *yamlsrc.Node) (list []settings.MappedValue, places []ir.MappedPlace) {
	for pair := range d.mappingPairs(setting, n) {
		m, full, at := settings.MappedValue{Name: pair.Key.Value}, joinSetting(setting, pair.Key.Value), pair.Value
		switch v := pair.Value; {
		case v.Kind == yamlsrc.Mapping:
			d.readSection(full, v, d.mappedKeys(&m))
			if (v.Pair("from") == nil) == (v.Pair("value") == nil) {
				d.reportWrong(full, v, "a mapping with either `from` or `value`")
			} else if v.Pair("value") != nil && v.Pair("default") != nil {
				d.reportWrong(full, v, "a mapping with `from` if it has `default`")
			}
			for _, name := range []string{"from", "value"} {
				if own := v.Pair(name); own != nil {
					at = own.Value
				}
			}
		case v.IsNull() || v.Kind != yamlsrc.Scalar:
			d.reportWrong(full, v, "a JSON Pointer such as `/issue/title`, a constant, or a mapping with `from` or `value`")
		case v.IsString() && strings.HasPrefix(v.Value, "/"):
			m.Pointer = d.readPointer(full, v)
		default:
			m.Literal = v.JSON()
		}
		list, places = append(list, m), append(places, ir.MappedPlace{Name: pair.Key.Span, Value: at.Place()})
	}
	return list, places
}

// readPointer reads a JSON Pointer, as RFC 6901 defines it.
func (d triggerDecoder) readPointer(setting string, n *yamlsrc.Node) string {
	if rest := strings.NewReplacer("~0", "", "~1", "").Replace(n.Value); !n.IsString() || n.Value != "" && n.Value[0] != '/' || strings.Contains(rest, "~") {
		d.reportWrong(setting, n, "a JSON Pointer such as `/issue/title`, in which `~1` is a slash and `~0` is `~`")
	}
	return n.Value
}

// readFilePattern reads a pattern of files below the folder of the configuration.
func (d triggerDecoder) readFilePattern(setting string, n *yamlsrc.Node) string {
	return d.wordReader("a pattern below this folder, such as `inbox/*.json`", func(text string) bool {
		return text != "" && glob.Valid(text) && !strings.HasPrefix(text, "/") && !slices.Contains(strings.Split(text, "/"), "..")
	})(setting, n)
}

func isRoute(text string) bool {
	return hasRouteForm(text) && !slices.Contains(strings.Split(text, "/"), "..") && !strings.Contains(text, "//") && text != healthRoute
}

// healthRoute is the path at which `listen` says that it works.
const healthRoute = "/healthz"

func isBranch(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "-") && !strings.ContainsAny(text, " \t\n*?[\\^~:")
}

// sourceKeys are the keys that each source of a trigger has beside its own name.
var sourceKeys = map[string][]string{
	"webhook": {"path", "secret_variable", "events", "per_minute"},
	"files":   {"every"},
	"branch":  {"repository", "every"},
}

// hmacKeys are the keys of webhooks of kind hmac alone.
var hmacKeys = []string{"signature_header", "signature_prefix", "algorithm", "encoding", "timestamp_header", "id_header", "event_header"}

// checkSource checks that a source has what it needs, and nothing that has no effect.
func (d triggerDecoder) checkSource(setting string, n *yamlsrc.Node, s *settings.TriggerSource) {
	var kinds []string
	for _, name := range []string{"webhook", "files", "branch"} {
		if n.Pair(name) != nil {
			kinds = append(kinds, name)
		}
	}
	if len(kinds) != 1 {
		d.reportWrong(setting, n, "a mapping with one of `webhook`, `files` and `branch`")
		return
	}
	known, required := slices.Concat(kinds, sourceKeys[kinds[0]]), []string{}
	if kinds[0] == "webhook" {
		required = []string{"path", "secret_variable"}
	}
	if s.Webhook == settings.WebhookHMAC {
		known, required = append(known, hmacKeys...), append(required, "signature_header")
	}
	for _, name := range required {
		if n.Pair(name) == nil {
			d.bag.Add(finding.MissingSetting(n.Place(), joinSetting(setting, name)))
		}
	}
	of := kinds[0]
	if s.Webhook != "" {
		of = "webhook: " + string(s.Webhook)
	}
	for _, k := range d.onKeys(new(settings.TriggerSource)) {
		if p := n.Pair(k.Name); p != nil && !slices.Contains(known, k.Name) && (of != "webhook" || !slices.Contains(hmacKeys, k.Name)) {
			d.bag.Add(finding.TriggerKey(p.Key.Span, joinSetting(setting, k.Name), of))
		}
	}
}

// checkTrigger checks what single keys cannot say.
func (d triggerDecoder) checkTrigger(t *ir.Trigger, n *yamlsrc.Node) {
	if n.Pair("on") == nil {
		d.bag.Add(finding.MissingSetting(n.Place(), joinSetting(t.Setting, "on")))
	}
	for _, name := range []string{"inputs", "signal"} {
		of := map[bool]string{t.Signal != nil && name != "signal": "signal", len(t.Answer) > 0: "answer"}[true]
		if p := n.Pair(name); p != nil && of != "" {
			d.bag.Add(finding.TriggerKey(p.Key.Span, joinSetting(t.Setting, name), of))
		}
	}
	if p := n.Pair("answer"); p != nil && n.Pair("on") != nil && t.On.Webhook != settings.WebhookSlack && t.On.Webhook != settings.WebhookGitHub {
		d.reportWrong(joinSetting(t.Setting, "answer"), p.Value, "with `on: {webhook: slack}` or `on: {webhook: github}` only")
	}
}
