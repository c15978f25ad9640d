package config

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/cron"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var (
	notifyLevel   = newLevel("under `notify:`")
	noticeLevel   = newLevel("in a notice")
	quietLevel    = decode.Level{Where: "under `quiet:`", Closed: true}
	escalateLevel = decode.Level{Where: "under `escalate:`", Closed: true}

	noticeShape = someText.Else(decode.ListOf(someText)).Else(decode.Object(&noticeLevel))
)

// clockPattern is the form of a time of the day.
const clockPattern = `^([01][0-9]|2[0-3]):[0-5][0-9]$`

var isClock = matcherOf(clockPattern)

// A noticeDecoder reads settings of notices.
type noticeDecoder struct{ *decoder }

// readNotify reads who gets notices.
func (d noticeDecoder) readNotify(into *settings.Notify) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) { d.readSection(setting, n, d.notifyKeys(into)) }
}

func (d noticeDecoder) notifyKeys(into *settings.Notify) []key {
	docs := map[settings.NoticeEvent]string{
		settings.NoticeWaits:     "Targets of the notice that a run waits for a person.",
		settings.NoticeQuota:     "The same, when a run waits for the reset of an agent's quota.",
		settings.NoticeFailed:    "The same, when a run fails.",
		settings.NoticeCompleted: "The same, when a run completes.",
		settings.NoticeBudget:    "The same, when a run ends at one of its limits, or a budget is nearly used up.",
		settings.NoticeMissed:    "The same, when the schedule starts no run at one of its times.",
	}
	var list []key
	for _, event := range settings.NoticeEvents() {
		list = append(list, newSetting(string(event), noticeShape, docs[event], func(setting string, n *yamlsrc.Node) {
			rule := settings.NoticeRule{Event: event}
			if n.Kind == yamlsrc.Mapping {
				d.readSection(setting, n, d.noticeKeys(&rule))
				if n.Get("to") == nil {
					d.reportWrong(setting, n, "a mapping with `to`")
				}
			} else {
				rule.Targets = d.noticeTargets(setting, n)
			}
			into.Rules = append(into.Rules, rule)
		}).withExamples(`["slack", "mailto:ops@example.com"]`))
	}
	list = append(list, newSetting("page", decode.FilledString, "Address of `wfc serve`, to which notices link.", readInto(&into.Page, d.wordReader("an address that begins with `https://` or `http://`", func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
	}))).withExamples(`"https://runs.example.com"`))
	return append(list, newSetting("quiet", decode.Object(&quietLevel), "Hours in which only urgent notices are sent; the others follow later.", func(setting string, n *yamlsrc.Node) {
		d.readQuiet(setting, n, &into.Quiet)
	}).withExamples(`{"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"}`))
}

func (d noticeDecoder) noticeKeys(r *settings.NoticeRule) []key {
	return []key{
		newSetting("to", orList(someText), "Targets: channels as in `deliver_to`. An empty list is none.", readInto(&r.Targets, d.noticeTargets)).asRequired().withExamples(`"slack"`, `["pager", "mailto:ops@example.com"]`),
		newSetting("title", someText, "Title, with placeholders such as `{{run}}`.", readInto(&r.Title, d.readTemplate)).withExamples(`"{{workflow}} needs you"`),
		newSetting("body", someText, "Text below the title, with placeholders such as `{{command}}`.", readInto(&r.Body, d.readTemplate)).withExamples(`"{{question}}\n\n{{command}}"`),
		newSetting("urgent", decode.Bool, "Whether the notice is also sent during quiet hours.", readInto(&r.Urgent, d.readFlag)),
		newSetting("escalate", decode.Object(&escalateLevel).Else(decode.ListOf(decode.Object(&escalateLevel))), "More targets, if nobody reacts.", func(setting string, n *yamlsrc.Node) {
			for _, item := range listItems(n) {
				var e settings.Escalation
				d.readSection(setting, item, d.escalateKeys(&e))
				if e.After > 0 && len(e.Targets) > 0 {
					r.Escalate = append(r.Escalate, e)
				} else if item.Kind == yamlsrc.Mapping && (item.Get("after") == nil || item.Get("to") == nil) || item.IsNull() {
					d.reportWrong(setting, item, "a mapping with `after` and `to`")
				}
			}
		}).withExamples(`{"after": "30m", "to": "pager"}`),
	}
}

func (d noticeDecoder) escalateKeys(e *settings.Escalation) []key {
	return []key{
		newSetting("after", decode.String.Matching(spanPattern), "Time after the event, in minutes, hours or days.", readInto(&e.After, d.readSpan)).asRequired().withExamples(`"30m"`),
		newSetting("to", someTexts, "Targets.", readInto(&e.Targets, d.targetTexts)).asRequired().withExamples(`"pager"`),
	}
}

func (d noticeDecoder) quietKeys(q *settings.QuietHours) []key {
	clock, read := decode.String.Matching(clockPattern), d.wordReader("a time such as \"22:00\", in quotes", isClock)
	return []key{
		newSetting("from", clock, "Their begin.", readInto(&q.From, read)).asRequired().withExamples(`"22:00"`),
		newSetting("to", clock, "End of the quiet hours; before `from`, it is on the next day.", readInto(&q.To, read)).asRequired().withExamples(`"07:00"`),
		newSetting("zone", someText, "Time zone; that of the machine if absent.", func(setting string, n *yamlsrc.Node) {
			if q.Zone = d.readText(setting, n); q.Zone != "" && !cron.KnownZone(q.Zone) {
				d.reportWrong(setting, n, "a time zone such as Europe/Berlin")
				q.Zone = ""
			}
		}).withExamples(`"Europe/Berlin"`),
	}
}

func (d noticeDecoder) readQuiet(setting string, n *yamlsrc.Node, q *settings.QuietHours) {
	d.readSection(setting, n, d.quietKeys(q))
	switch {
	case n.Kind != yamlsrc.Mapping && !n.IsNull():
	case n.Get("from") == nil || n.Get("to") == nil:
		d.reportWrong(setting, n, "a mapping with `from` and `to`")
	case q.From == q.To && q.From != "":
		d.reportWrong(setting, n, "hours whose `from` and `to` differ")
	}
	if q.From == "" || q.To == "" || q.From == q.To {
		*q = settings.QuietHours{}
	}
}

// noticeTargets reads the targets of notices; an empty list is none.
func (d noticeDecoder) noticeTargets(setting string, n *yamlsrc.Node) []string {
	if n.Kind == yamlsrc.Sequence && len(n.Items) == 0 {
		return nil
	}
	return d.targetTexts(setting, n)
}

// targetTexts reads one target or a list of them.
func (d noticeDecoder) targetTexts(setting string, n *yamlsrc.Node) []string {
	return plain.Texts(d.readTargets(setting, n), func(t source.Text) string { return t.Value })
}

// readTemplate reads a template of notices, and reports its faults where they are.
func (d noticeDecoder) readTemplate(setting string, n *yamlsrc.Node) string {
	text := d.readText(setting, n)
	faults := target.CheckTemplate(text)
	for _, f := range faults {
		d.bag.Add(finding.ConfigValue(n.Text().Span(f.Start, f.End), setting, "a text with known placeholders: "+f.Problem).
			WithHelp("use " + strings.Join(target.Placeholders(), ", ")))
	}
	if len(faults) > 0 {
		return ""
	}
	return text
}

// NotifyOf returns who gets the notices about runs of the file of an absolute path. For each
// event, the first pattern that has it decides, or else the project.
func (c *Config) NotifyOf(path string) settings.Notify {
	var all settings.Notify
	add := func(n settings.Notify) {
		for _, r := range n.Rules {
			if !slices.ContainsFunc(all.Rules, func(before settings.NoticeRule) bool { return before.Event == r.Event }) {
				all.Rules = append(all.Rules, r)
			}
		}
		all.Quiet, all.Page = cmp.Or(all.Quiet, n.Quiet), cmp.Or(all.Page, n.Page)
	}
	for r := range c.matchingRules(c.workflows, path) {
		add(r.notify)
	}
	add(c.settings.Notify)
	all.Rules = slices.DeleteFunc(all.Rules, func(r settings.NoticeRule) bool { return len(r.Targets) == 0 && len(r.Escalate) == 0 })
	if len(all.Rules) == 0 {
		return settings.Notify{}
	}
	return all
}
