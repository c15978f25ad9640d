package codex

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// longestInput is how many characters of a tool's input are shown.
const longestInput = 80

// turn is the state of a turn from its events.
type turn struct {
	request    *agent.Request
	output     *stream.Output
	price      *settings.Price
	permission string
	form       schema.Form
	system     string
	meta       flow.Meta
	// said is how many bytes of each message have been said, and last the last
	// message.
	said map[string]int
	last string
	// counted says that the turn's tokens are known.
	counted bool
	// denied are the denied actions, and line is the unfinished line of standard
	// error.
	denied []string
	line   []byte
	// problem is the last error that did not end the turn, and failed the one that did.
	problem, failed string
}

// handleEvent takes an event; see stream.Turn.
func (t *turn) handleEvent(line []byte) (last bool, err error) {
	e, err := decodeEvent(line)
	if err != nil {
		return false, err
	}
	t.output.Alive()
	switch e.Type {
	case "thread.started":
		return false, t.noteSession(e.Thread)
	case "item.started", "item.updated", "item.completed":
		t.showItem(e.Type, e.Item)
	case "error":
		t.problem = e.Message
		t.output.Note("%s", failures.Message(e.Message))
	case "turn.completed":
		t.countUsage(e.Usage)
		return true, nil
	case "turn.failed":
		t.failed = cmp.Or(e.Error.Message, "the turn failed without a message")
		return true, nil
	}
	return false, nil
}

// noteSession notes the session. A program that cannot continue a session may begin
// another one, in which the agent has forgotten everything.
func (t *turn) noteSession(session string) error {
	r := t.request
	if r.Session != "" && !r.FreshSession && session != r.Session {
		return stream.Gone(t.request, -1)
	}
	t.meta.Session = session
	t.keepSystem()
	t.reportCost()
	return nil
}

// reportCost reports the cost of the turn so far.
func (t *turn) reportCost() { t.output.Spent(t.meta) }

// showItem shows an action of the agent.
func (t *turn) showItem(event string, i *item) {
	started, done := event == "item.started", event == "item.completed"
	if name := i.toolName(); name != "" && (started || done) {
		t.output.ToolBegun(i.ID, name) // some items have only an end
	}
	if done {
		t.output.ToolEnded(i.ID, i.Error != nil || i.Status == "failed" || i.Status == "declined")
	}
	switch i.Type {
	case "agent_message":
		t.showMessage(i, done)
	case "command_execution":
		if started {
			t.output.Note("runs %s", t.output.Quote(i.commandText(), longestInput))
		}
		if done && (i.Status == "declined" || t.permission == program.Safe && i.isStoppedBySandbox()) {
			t.noteDenial("run " + t.output.Quote(i.commandText(), longestInput))
		}
	case "file_change":
		t.showChange(i, done)
	case "mcp_tool_call":
		if started {
			t.output.Note("uses %s of %s", i.Tool, i.Server)
		}
		if done && i.Error != nil {
			t.output.Note("%s of %s failed: %s", i.Tool, i.Server, i.Error.Message)
			if strings.Contains(i.Error.Message, "approval policy is never") {
				t.noteDenial("use " + t.output.Quote(i.Tool+" of the MCP server "+i.Server, longestInput))
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

// showMessage writes the new part of a message.
func (t *turn) showMessage(i *item, done bool) {
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

func (t *turn) showChange(i *item, done bool) {
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
		t.noteDenial("change " + files)
	default:
		t.output.Note("could not change %s", files)
	}
}

// countUsage notes what the turn used.
func (t *turn) countUsage(u *usage) {
	if u == nil {
		return
	}
	t.counted = true
	r := t.request
	before, known := usage{}, true
	if r.Session != "" && !r.FreshSession {
		known = usageBook(r.RunDir).Last(t.meta.Session, &before)
	}
	if err := usageBook(r.RunDir).Keep(t.meta.Session, *u); err != nil {
		t.output.Warn("cannot save the tokens of the session, so the tokens of its next turn will be unknown: %v", err)
	}
	if !known {
		t.output.Warn("the tokens of this turn are unknown: codex counts those of the whole session, which started in another run")
		return
	}
	u.differenceFrom(before).addCostTo(&t.meta, t.price)
	t.meta.Turns = 1
	t.reportCost()
}

// countLeft notes what a turn used that ended without saying so: it was interrupted, or it
// failed. The program notes that in the file of the session, in a folder of sessions.
func (t *turn) countLeft(sessions string) {
	if t.counted || t.meta.Session == "" || strings.ContainsAny(t.meta.Session, `/\*?[`) {
		return
	}
	files, _ := filepath.Glob(filepath.Join(sessions, "*", "*", "*", "rollout-*-"+t.meta.Session+".jsonl"))
	for _, path := range files {
		if u := lastUsage(path); u != nil {
			t.countUsage(u)
			return
		}
	}
}

// dataFolder returns the folder in which the program keeps its data.
func dataFolder(environ []string) string {
	if dir := process.Variable(environ, "CODEX_HOME"); dir != "" {
		return dir
	}
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	return filepath.Join(process.Variable(environ, name), ".codex")
}

// lastUsage returns the last count of tokens in the file of a session, or nil.
func lastUsage(path string) (last *usage) {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	for r := bufio.NewReaderSize(file, 1<<16); ; {
		line, err := wholefile.Output.Line(r, path)
		var e struct {
			Payload struct {
				Type string `json:"type"`
				Info *struct {
					Total *usage `json:"total_token_usage"`
				} `json:"info"`
			} `json:"payload"`
		}
		if bytes.Contains(line, []byte(`"token_count"`)) && json.Unmarshal(line, &e) == nil && e.Payload.Type == "token_count" && e.Payload.Info != nil {
			last = cmp.Or(e.Payload.Info.Total, last)
		}
		if err != nil {
			return last
		}
	}
}

// buildReply returns the answer so far.
func (t *turn) buildReply() *agent.Reply {
	reply := &agent.Reply{Text: t.last, Meta: t.meta}
	if len(t.request.Schema) > 0 {
		reply.Structured = t.form.Read(t.last)
	}
	return reply
}

// event is an event of any type.
type event struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"`
	Item    *item  `json:"item"`
	Usage   *usage `json:"usage"`
	Message string `json:"message"`
	Error   *fault `json:"error"`
}

type fault struct {
	Message string `json:"message"`
}

// item is an item of any type.
type item struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Status  string          `json:"status"`
	Command json.RawMessage `json:"command"`
	Output  string          `json:"aggregated_output"`
	Changes []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Query   string `json:"query"`
	Message string `json:"message"`
	Error   *fault `json:"error"`
}

// toolName names the tool of an action, or is "".
func (i *item) toolName() string {
	switch i.Type {
	case "command_execution":
		return "shell"
	case "file_change":
		return "apply_patch"
	case "mcp_tool_call":
		return i.Server + "." + i.Tool
	case "web_search":
		return i.Type
	}
	return ""
}

// commandText returns the command of a command_execution.
func (i *item) commandText() string {
	var text string
	if json.Unmarshal(i.Command, &text) == nil {
		return text
	}
	return string(i.Command)
}

// decodeEvent decodes an event and returns an error if a known one lacks a required field. It
// reads only the type of an unknown one.
func decodeEvent(line []byte) (*event, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if err := stream.Decode(line, &kind); err != nil {
		return nil, err
	}
	missing := func(what string) error {
		return fmt.Errorf("it is an event `%s` without `%s`", kind.Type, what)
	}
	e := &event{Type: kind.Type}
	switch kind.Type {
	case "":
		return nil, errors.New("it has no `type`")
	case "thread.started", "item.started", "item.updated", "item.completed", "turn.completed", "turn.failed", "error":
		if err := stream.Decode(line, e); err != nil {
			return nil, fmt.Errorf("it is not a valid event `%s`: %w", kind.Type, err)
		}
	}
	switch kind.Type {
	case "thread.started":
		if e.Thread == "" {
			return nil, missing("thread_id")
		}
	case "item.started", "item.updated", "item.completed":
		if e.Item == nil || e.Item.Type == "" {
			return nil, missing("item.type")
		}
	case "turn.failed":
		if e.Error == nil {
			return nil, missing("error")
		}
	}
	return e, nil
}

// usage counts tokens.
type usage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// differenceFrom returns the usage after an earlier count of the same session.
func (u usage) differenceFrom(before usage) usage {
	return usage{max(0, u.Input-before.Input), max(0, u.Cached-before.Cached), max(0, u.Output-before.Output)}
}

// usageBook is where the counts of sessions are kept: the program counts the tokens of a
// session, so the usage of a turn is known only if the count before it is.
func usageBook(dir string) ledger.Book { return ledger.Book{Dir: dir, Name: "codex-tokens"} }

// priceOf returns the price of a model: that of the choice, or that of the table.
func priceOf(c settings.Agent, model string) *settings.Price {
	kind, _ := catalog.KindNamed("codex")
	return kind.PriceOf(c, model)
}

// addCostTo notes the cost of a turn. Cached tokens are among those of the input.
func (u usage) addCostTo(m *flow.Meta, p *settings.Price) {
	m.InputTokens, m.OutputTokens = u.Input, u.Output
	m.CostUSD = catalog.CostOf(p, catalog.Tokens{Input: u.Input - u.Cached, CachedInput: u.Cached, Output: u.Output})
}

// A session keeps the system prompt of its first turn. A later turn with another
// system prompt gets it at the beginning of its prompt.

// systemPromptBook is the book of the last system prompt of each session.
func systemPromptBook(dir string) ledger.Book { return ledger.Book{Dir: dir, Name: "codex-system"} }

// promptHash returns a hash of a system prompt: the prompt may be long, or secret.
func promptHash(system string) string {
	return runid.Hash(64, system)
}

// systemPreface returns the beginning of a turn's prompt: the system prompt if the
// session is known to have another one, else "".
func systemPreface(r *agent.Request, system string) string {
	var last string
	if system == "" || r.Session == "" || r.FreshSession || !systemPromptBook(r.RunDir).Last(r.Session, &last) || last == promptHash(system) {
		return ""
	}
	return options.Preface(system)
}

// keepSystem keeps the system prompt that the session has from now on. A continued
// session without a new prompt keeps its old one.
func (t *turn) keepSystem() {
	continued := t.request.Session != "" && !t.request.FreshSession
	if continued && t.system == "" {
		return
	}
	if err := systemPromptBook(t.request.RunDir).Keep(t.meta.Session, promptHash(t.system)); err != nil {
		t.output.Warn("cannot save the system prompt of the session, so that of a later turn may have no effect: %v", err)
	}
}
