package codex

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// longestInput is the number of characters of what a tool is given that are
// shown.
const longestInput = 80

// turn is what is known of a turn from its events.
type turn struct {
	request    *agent.Request
	output     *stream.Output
	price      *settings.Price
	permission string
	shape      shape
	system     string
	meta       flow.Meta
	// said is how many bytes of each message have been said, and last the last
	// message.
	said map[string]int
	last string
	// denied is what the agent was not allowed to do, and line the line of standard
	// error that has not come to its end.
	denied []string
	line   []byte
	// problem is the last error that was no end, and failed the one that was.
	problem, failed string
}

// event takes an event; see stream.Turn.
func (t *turn) event(line []byte) (last bool, err error) {
	e, err := read(line)
	if err != nil {
		return false, err
	}
	t.output.Alive()
	switch e.Type {
	case "thread.started":
		return false, t.began(e.Thread)
	case "item.started", "item.updated", "item.completed":
		t.item(e.Type, e.Item)
	case "error":
		t.problem = e.Message
		t.output.Note("%s", agent.Words(e.Message))
	case "turn.completed":
		t.count(e.Usage)
		return true, nil
	case "turn.failed":
		t.failed = e.Error.Message
		if t.failed == "" {
			t.failed = "the turn failed without a word"
		}
		return true, nil
	}
	return false, nil
}

// began notes the session. A program that cannot go on with one may begin
// another, and nobody would see that the agent has forgotten everything.
func (t *turn) began(session string) error {
	r := t.request
	if r.Session != "" && !r.FreshSession && session != r.Session {
		return stream.Gone(t.request, -1)
	}
	t.meta.Session = session
	t.keepSystem()
	t.report()
	return nil
}

// report tells what the turn has cost so far.
func (t *turn) report() {
	if t.request.Spent != nil {
		t.request.Spent(t.meta)
	}
}

// item shows what the agent does.
func (t *turn) item(event string, i *item) {
	started, done := event == "item.started", event == "item.completed"
	switch i.Type {
	case "agent_message":
		t.message(i, done)
	case "command_execution":
		if started {
			t.output.Note("runs %s", t.output.Quote(i.command(), longestInput))
		}
		if done && (i.Status == "declined" || t.permission == program.Safe && i.stopped()) {
			t.deny("run " + t.output.Quote(i.command(), longestInput))
		}
	case "file_change":
		t.change(i, done)
	case "mcp_tool_call":
		if started {
			t.output.Note("uses %s of %s", i.Tool, i.Server)
		}
		if done && i.Error != nil {
			t.output.Note("%s of %s failed: %s", i.Tool, i.Server, i.Error.Message)
			if strings.Contains(i.Error.Message, "approval policy is never") {
				t.deny("use " + t.output.Quote(i.Tool+" of the MCP server "+i.Server, longestInput))
			}
		}
	case "web_search":
		if done && i.Query != "" {
			t.output.Note("searches the web for %s", i.Query)
		}
	case "error":
		if done {
			t.output.Note("%s", i.Message)
		}
	}
}

// message says what is new of a message.
func (t *turn) message(i *item, done bool) {
	from := t.said[i.ID]
	if from == 0 {
		t.output.Break()
	}
	if from < len(i.Text) {
		t.output.Text(i.Text[from:])
	}
	t.said[i.ID] = max(from, len(i.Text))
	if done {
		t.last = i.Text
		delete(t.said, i.ID)
	}
}

func (t *turn) change(i *item, done bool) {
	if !done {
		return
	}
	var paths []string
	for _, c := range i.Changes {
		paths = append(paths, c.Path)
	}
	files := t.output.Quote(strings.Join(paths, ", "), longestInput)
	switch {
	case i.Status != "failed":
		t.output.Note("changed %s", files)
	case t.permission == program.Safe:
		t.deny("change " + files)
	default:
		t.output.Note("could not change %s", files)
	}
}

// count notes what the turn used.
func (t *turn) count(u *usage) {
	if u == nil {
		return
	}
	r := t.request
	before, known := usage{}, true
	if r.Session != "" && !r.FreshSession {
		known = book(r.Dir).Last(t.meta.Session, &before)
	}
	if err := book(r.Dir).Keep(t.meta.Session, *u); err != nil {
		t.output.Warn("the tokens of the session cannot be kept, so those of its next turn will not be known: %v", err)
	}
	if !known {
		t.output.Warn("how many tokens this turn used is not known: codex counts those of the whole session, which began in another run")
		return
	}
	u.since(before).add(&t.meta, t.price)
	t.meta.Turns = 1
	t.report()
}

// reply returns what is known of the answer.
func (t *turn) reply() *agent.Reply {
	reply := &agent.Reply{Text: t.last, Meta: t.meta}
	if len(t.request.Schema) > 0 {
		if found := agent.Extract(t.last); found != nil {
			reply.Structured = t.shape.restore(found)
		}
	}
	return reply
}
