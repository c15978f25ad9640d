// Package outbox makes notices of what happens in runs, and sends them.
//
// A notice is queued by the commit that makes it necessary: the store has both or neither.
// Then any process that has the channels may send it: the one that works on the run, the one
// that keeps the schedule, or the next command. It claims the notice in the store, sends it,
// and records that. If it dies in between, another process sends the notice again when the
// claim has run out, under the same ID, by which receivers can tell.
package outbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Note is what a receiver gets: of a notice, or of the delivery of a result. Its JSON is the
// document of webhooks.
type Note struct {
	Schema int `json:"schema_version"`
	// ID is the same whenever the note is sent, and that of no other one.
	ID string `json:"id"`
	// Run is "" for a missed time of the schedule, and Step the node that the note is about, or "".
	Workflow string `json:"workflow"`
	Run      string `json:"run"`
	Step     string `json:"step,omitempty"`
	Target   string `json:"target"`
	// Event, Title, Question and Commands are those of a notice: what the run asks, and the command
	// lines that answer it.
	Event    settings.NoticeEvent `json:"event,omitempty"`
	Title    string               `json:"title,omitempty"`
	Question string               `json:"question,omitempty"`
	Commands []string             `json:"commands,omitempty"`
	Text     string               `json:"text"`
	// Buttons answer the question, where the service has buttons.
	Buttons []Button `json:"buttons,omitempty"`
}

// A Button gives a choice to a question. Value is what the service sends when somebody clicks it.
type Button struct {
	Choice string `json:"choice"`
	Value  string `json:"value"`
}

// A Notice is a message about a run.
type Notice struct {
	Note
	// Key is the key of the step that it is about; it may be "".
	Key    string `json:"key,omitempty"`
	Urgent bool   `json:"urgent,omitempty"`
	// Escalates means that the notice goes to further people because nobody reacted.
	Escalates bool `json:"escalates,omitempty"`
	// Since is when the step began to wait.
	Since time.Time `json:"since,omitzero"`
}

// A Sender sends notices: the performer of package runtime/deliver.
type Sender interface {
	// SendNotice sends a notice once. environ has the secrets of the channels. The error may
	// be a *RefusedError.
	SendNotice(ctx context.Context, n *Notice, environ []string) error
}

// A RefusedError says why a message was not sent.
type RefusedError struct {
	Problem string
	// Final means that trying again is useless. Otherwise Wait is the time that the service
	// asks for, or 0.
	Final bool
	Wait  time.Duration
}

func (e *RefusedError) Error() string { return e.Problem }

// A Maker makes the notices of one run.
type Maker struct {
	Notify settings.Notify
	Info   *flow.RunInfo
	// Buttons adds buttons that answer a question to notices on Slack.
	Buttons bool
	// Root means that no other run began the run. Only then its end has notices.
	Root bool
	// NodeOf returns the node of a step's key.
	NodeOf func(key string) string
	// Mask removes secrets.
	Mask func(text string) string
	// Commands returns the command lines that answer a question, or that continue or show
	// the run if q is nil. It may be nil.
	Commands func(run *flow.RunInfo, q *engine.Question) []string
}

// Messages returns the notices about a batch. cost is what the run has cost so far.
func (m *Maker) Messages(b *flow.Batch, cost flow.Meta, now time.Time) []flow.Message {
	var list []flow.Message
	for i, r := range b.Steps {
		later := slices.ContainsFunc(b.Steps[i+1:], func(s flow.Record) bool { return s.Key == r.Key })
		if r.Status == flow.Waiting && r.Question != nil && !later {
			list = append(list, m.waitMessages(&r, cost, now)...)
		}
	}
	for _, e := range b.Events {
		if e.Type == sched.EventBudget {
			list = append(list, m.fill(occurrence{
				event: settings.NoticeBudget, step: e.Key, instance: e.Message, title: "{{workflow}}: budget", text: "{{error}}\n\n" + aboutRun + "\n\n{{command}}",
				values: map[string]string{"error": e.Message}, cost: cost,
			}, now)...)
		}
	}
	if b.Run != nil && m.Root {
		list = append(list, m.endMessages(b.Run, cost, now)...)
	}
	return list
}

// aboutRun is the part of the usual text that says which run a notice is about.
const aboutRun = "run {{run}} in {{folder}}, cost so far: {{cost}}\n{{page}}"

// An occurrence is an event of a run.
type occurrence struct {
	event settings.NoticeEvent
	step  string
	// instance tells the occurrence from others of the same step and event.
	instance    string
	title, text string // the usual ones
	values      map[string]string
	question    *engine.Question
	since       time.Time
	cost        flow.Meta
}

func (m *Maker) waitMessages(r *flow.Record, cost flow.Meta, now time.Time) []flow.Message {
	q := &engine.Question{Question: *r.Question, RunID: m.Info.ID, Since: r.Started, Deadline: r.Deadline}
	o := occurrence{
		event: settings.NoticeWaits, step: r.Key, instance: r.Started.UTC().Format(time.RFC3339Nano), question: q, since: r.Started, cost: cost,
		title: "{{workflow}} waits for you at {{node}}", text: "{{question}}\n\n{{command}}\n\n" + aboutRun, values: map[string]string{},
	}
	switch q.Wait {
	case "", flow.WaitAttention:
	case flow.WaitQuota:
		o.event = settings.NoticeQuota
		o.title = "{{workflow}} waits for the quota of {{agent}}"
		o.text = "The run continues after {{until}}. To try at once:\n\n{{command}}\n\n" + aboutRun
		o.values["agent"] = q.Message
	case flow.WaitBudget:
		o.event = settings.NoticeBudget
		o.title = "{{workflow}} waits: its budget is used up"
	default:
		return nil // the wait for a time or for another program
	}
	if !r.Deadline.IsZero() {
		o.values["until"] = r.Deadline.Local().Format("2006-01-02 15:04 MST")
		if o.event == settings.NoticeWaits {
			o.text = "{{question}}\n\nAnswer by {{until}}.\n\n{{command}}\n\n" + aboutRun
		}
	}
	return m.fill(o, now)
}

func (m *Maker) endMessages(end *flow.RunState, cost flow.Meta, now time.Time) []flow.Message {
	o := occurrence{instance: now.UTC().Format(time.RFC3339Nano), cost: cost, values: map[string]string{"error": cmp.Or(end.Error, end.Reason)}}
	switch end.Status {
	case flow.Completed:
		o.event, o.title, o.text = settings.NoticeCompleted, "{{workflow}} completed", aboutRun
		if o.values["result"] = end.Summary; end.Summary != "" {
			o.text = "{{result}}\n\n" + aboutRun
		}
	case flow.Failed:
		o.event, o.title, o.text = settings.NoticeFailed, "{{workflow}} failed", "{{error}}\n\n{{command}}\n\n"+aboutRun
	case flow.LimitReached:
		o.event, o.title, o.text = settings.NoticeBudget, "{{workflow}} reached a limit", "{{error}}\n\n{{command}}\n\n"+aboutRun
	default:
		return nil
	}
	return m.fill(o, now)
}

// longestValue is how many characters of a value a notice shows.
const longestValue = 1200

// fill returns the messages of an occurrence, one for each target.
func (m *Maker) fill(o occurrence, now time.Time) []flow.Message {
	rule := m.Notify.RuleOf(o.event)
	if len(rule.Targets) == 0 && len(rule.Escalate) == 0 {
		return nil
	}
	n := Notice{
		Note: Note{Schema: 1, Event: o.event, Workflow: m.Info.Workflow, Run: m.Info.ID}, Key: o.step, Urgent: rule.Urgent, Since: o.since,
	}
	if o.step != "" {
		n.Step = m.NodeOf(o.step)
	}
	if o.question != nil && o.question.Wait != flow.WaitQuota {
		n.Question = plain.Clip(m.Mask(o.question.Message), longestValue)
	}
	o.values["cost"] = cmp.Or(format.Usage(o.cost), "none reported")
	o.values["workflow"], o.values["run"], o.values["node"] = n.Workflow, n.Run, n.Step
	o.values["event"], o.values["folder"] = string(o.event), m.Info.WorkDir
	if m.Notify.Page != "" {
		o.values["page"] = strings.TrimRight(m.Notify.Page, "/") + "/runs/" + url.PathEscape(n.Run)
	}
	if m.Buttons && o.question != nil && o.question.Wait == "" {
		n.Buttons = buttonsOf(*o.question)
	}
	for name, value := range o.values { // masked first, or half a secret may be left
		o.values[name] = plain.Clip(m.Mask(value), longestValue)
	}
	o.values["error"] = plain.Below(o.values["error"], "")
	o.values["question"] = n.Question
	if n.Question != "" && (o.question.Output != "" || strings.Contains(n.Question, "\n")) {
		// Whose words these are stays clear, and none of them passes for a line of the notice.
		shown := o.question.Question
		shown.Message, shown.Output = n.Question, plain.Clip(m.Mask(shown.Output), longestValue/2)
		o.values["question"] = human.View{}.Text(shown, "")
	}
	if m.Commands != nil && o.event != settings.NoticeCompleted {
		for _, line := range m.Commands(m.Info, o.question) {
			n.Commands = append(n.Commands, m.Mask(line))
		}
	}
	o.values["command"] = strings.Join(n.Commands, "\n")
	return n.messages(rule, o, now)
}

// buttonsOf returns the buttons for the choices of a question that need no words.
func buttonsOf(q engine.Question) (list []Button) {
	hash := QuestionHash(q)
	for _, choice := range q.Choices {
		if choice != kernel.ChoiceEdit && choice != kernel.ChoiceFeedback {
			list = append(list, Button{choice, ButtonValue(q.RunID, hash, choice)})
		}
	}
	return list
}

// messages returns a notice for each target, and later ones for those of escalations.
func (n Notice) messages(rule settings.NoticeRule, o occurrence, now time.Time) []flow.Message {
	n.Title = plain.Line(fillTemplate(cmp.Or(rule.Title, o.title), o.values))
	n.Text = strings.TrimSpace(plain.Text(fillTemplate(cmp.Or(rule.Body, o.text), o.values)))
	var list []flow.Message
	add := func(n Notice, targets []string, step string, due time.Time) {
		for _, t := range targets {
			n.Target = t
			n.ID = runid.Hash(32, n.Run, n.Workflow, n.Key, string(n.Event), o.instance, step, t)
			if slices.ContainsFunc(list, func(m flow.Message) bool { return m.Key == n.ID }) {
				continue
			}
			body, err := json.Marshal(n)
			if err != nil {
				continue // no text fails
			}
			list = append(list, flow.Message{Key: n.ID, Workflow: n.Workflow, Event: string(n.Event), Target: t, Body: body, Created: now, Due: due})
		}
	}
	add(n, rule.Targets, "", now)
	for i, e := range rule.Escalate {
		later := n
		later.Escalates = true
		later.Title = "Nobody has reacted: " + n.Title
		add(later, e.Targets, fmt.Sprint(i+1), now.Add(e.After))
	}
	return list
}

// fillTemplate fills a template, and removes the empty lines that empty values leave.
func fillTemplate(text string, values map[string]string) string {
	text = target.FillTemplate(text, values) // the compiler has checked it
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

// Missed returns the messages about a scheduled time at which no run started; why says the
// reason.
func Missed(notify settings.Notify, workflow string, due time.Time, why string, now time.Time) []runstore.Message {
	m := Maker{Notify: notify, Info: &flow.RunInfo{Workflow: workflow}, Mask: func(text string) string { return text }}
	var list []runstore.Message
	for _, message := range m.fill(occurrence{
		event: settings.NoticeMissed, instance: due.UTC().Format(time.RFC3339), title: "{{workflow}} missed a scheduled run", text: "{{error}}",
		values: map[string]string{
			"until": due.Format(time.RFC3339), "error": "No run started at " + due.Format("2006-01-02 15:04 MST") + ": " + why + ".",
		},
	}, now) {
		list = append(list, runstore.Message{Box: runstore.BoxNotice, Message: message})
	}
	return list
}
