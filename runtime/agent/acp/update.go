package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

const (
	// longestReply is how long a reply may be, in bytes.
	longestReply = 64 << 20
	// mostNoise is how many bytes a program may print besides messages.
	mostNoise = 1 << 20
	// mostTools is how many calls of tools are remembered for when the program
	// asks about them.
	mostTools = 10_000
)

// heard has a program's messages in a session.
type heard struct {
	// session is its id, and earlier says that it is an earlier one.
	session string
	earlier bool
	// listening says that the turn has begun: updates before are the replay of an earlier
	// session.
	listening bool
	text      strings.Builder
	// asked is the length of the text when the program last reported its usage: between two
	// requests to its model.
	asked int
	// last is the last piece of the text.
	last string
	// message is the id of the message that the last piece was of, and apart says
	// that something else came after it.
	message string
	apart   bool
	tools   map[string]tool
	meta    flow.Meta
	// before is the cost of the session before the turn; known says that this is known.
	before float64
	known  bool
	// total is the cost of the session so far, if reported; afresh: the program
	// reports only the cost of this process.
	total  *float64
	afresh bool
	// warned: there was a warning about an amount that does not count.
	warned bool
	// used says that a tool was called since the last report of the usage, and refused
	// that the model has said nothing since a permission was refused; ended, that this
	// was so at the end.
	used, refused, ended bool
}

// tool is a call of a tool.
type tool struct {
	title string
	// names are all that it was called, titles and what the program adds.
	names []string
	kind  sdk.ToolKind
	paths []string
	begun time.Time
	ended bool
}

// handleNoise takes a line that is not a message. Programs print greetings and warnings there
// although they must not.
func (t *turn) handleNoise(line []byte) error {
	if t.firstNoise == "" {
		t.firstNoise = shortenLine(t.maskSecrets(string(line)), longestExcerpt)
	}
	if t.noise += len(line); t.noise > mostNoise {
		return newGarbledError("printed more than %d MiB outside the Agent Client Protocol, starting with %s", mostNoise>>20, quotedExcerpt(t.firstNoise))
	}
	t.report.passNote("%s", line)
	return nil
}

// withHeard calls a function with the state that updates change.
func withHeard[T any](t *turn, f func(h *heard) T) T {
	t.mu.Lock()
	defer t.mu.Unlock()
	return f(&t.heard)
}

func (t *turn) costSoFar() flow.Meta { return withHeard(t, func(h *heard) flow.Meta { return h.meta }) }

// update is what all updates have in common, and those of tools.
type update struct {
	Kind      string                 `json:"sessionUpdate"`
	Content   json.RawMessage        `json:"content"`
	MessageID string                 `json:"messageId"`
	ToolID    string                 `json:"toolCallId"`
	Title     string                 `json:"title"`
	ToolKind  sdk.ToolKind           `json:"kind"`
	Status    sdk.ToolCallStatus     `json:"status"`
	Locations []sdk.ToolCallLocation `json:"locations"`
	Cost      *sdk.Cost              `json:"cost"`
	// Meta is what the program adds to the protocol, in any form.
	Meta json.RawMessage `json:"_meta"`
}

// toolName returns what claude-agent-acp calls the tool beside its title, or "".
func (u *update) toolName() string {
	var meta struct {
		Claude struct {
			Tool string `json:"toolName"`
		} `json:"claudeCode"`
	}
	if json.Unmarshal(u.Meta, &meta) != nil {
		return ""
	}
	return meta.Claude.Tool
}

// handleNotification takes a notification. Those that are not known, and updates that are
// not known, are signs of life; those that are part of the reply must be whole.
func (t *turn) handleNotification(method string, params json.RawMessage) error {
	if method != sdk.ClientMethodSessionUpdate {
		t.report.passAlive()
		return nil
	}
	var n struct {
		Session string          `json:"sessionId"`
		Update  json.RawMessage `json:"update"`
	}
	var u update
	if json.Unmarshal(params, &n) != nil || json.Unmarshal(n.Update, &u) != nil {
		var kind struct {
			Update struct {
				Kind string `json:"sessionUpdate"`
			} `json:"update"`
		}
		_ = json.Unmarshal(params, &kind)
		if kind.Update.Kind != "agent_message_chunk" && kind.Update.Kind != "" {
			t.report.passAlive() // a later form of an update that is only shown
			return nil
		}
		return newGarbledError("printed an update that cannot be read: %s", t.conn.maskedExcerpt(params))
	}
	if t.ofAnother(n.Session) {
		t.report.passAlive()
		return nil
	}
	return t.handleUpdate(&u)
}

func (t *turn) isListening() bool { return withHeard(t, func(h *heard) bool { return h.listening }) }

// ofAnother reports whether an update is of another session than the turn's, such
// as one that the program began for a helper.
func (t *turn) ofAnother(session string) bool {
	return withHeard(t, func(h *heard) bool { return session != "" && h.session != "" && session != h.session })
}

func (t *turn) handleUpdate(u *update) error {
	switch u.Kind {
	case "agent_message_chunk":
		return t.handleChunk(u)
	case "agent_thought_chunk":
		var block content
		if json.Unmarshal(u.Content, &block) == nil && t.isListening() {
			t.report.passThought(block.Text)
		}
	case "tool_call", "tool_call_update":
		t.toolUsed(u)
	case "usage_update":
		t.updateCost(u.Cost)
	}
	t.report.passAlive()
	return nil
}

// content is a part of a message.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"`
}

// handleChunk takes a piece of the reply.
func (t *turn) handleChunk(u *update) error {
	var block content
	if err := json.Unmarshal(u.Content, &block); err != nil || block.Type == "" {
		return newGarbledError("printed a piece of its reply that cannot be read: %s", t.conn.maskedExcerpt(u.Content))
	}
	if !t.isListening() {
		t.handleGreeting(block.Text)
		return nil
	}
	if block.Type != "text" {
		t.report.passNote("the answer omits a part of the reply, of type %s: %s", shortenLine(block.Type, 40), shortenLine(t.maskSecrets(block.URI), 100))
		return nil
	}
	if withHeard(t, func(h *heard) bool { return h.takeNotice(&t.quirks, block.Text) }) {
		t.report.passNote("%s", block.Text)
		return nil
	}
	piece, fits := t.appendReply(u.MessageID, block.Text)
	if !fits {
		return newGarbledError("wrote a reply of more than %d MiB", longestReply>>20)
	}
	t.report.passReply(piece)
	return nil
}

// handleGreeting takes a program's messages before the turn: in a new session a greeting, in an
// earlier one the replay.
func (t *turn) handleGreeting(text string) {
	if t.request.Session == "" || t.request.FreshSession {
		t.report.passNote("%s", text)
		return
	}
	t.report.passAlive()
}

// appendReply adds a piece to the reply and returns it with a separator, if it begins a new
// message: after the use of tools, or if the program says so.
func (t *turn) appendReply(message, text string) (piece string, fits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := &t.heard
	h.last = text
	same := message != "" && message == h.message
	other := message != "" && h.message != "" && message != h.message
	if h.text.Len() > 0 && (h.apart && !same || other) && !strings.HasSuffix(h.text.String(), "\n") {
		text = "\n\n" + text
	}
	h.message, h.apart = message, false
	h.refused = h.refused && strings.TrimSpace(text) == ""
	if h.text.Len()+len(text) > longestReply {
		return "", false
	}
	h.text.WriteString(text)
	return text, true
}

// toolUsed remembers a call of a tool and notes it.
func (t *turn) toolUsed(u *update) {
	t.mu.Lock()
	h := &t.heard
	known, seen := h.tools[u.ToolID]
	now := known.withUpdate(u)
	if h.tools == nil {
		h.tools = map[string]tool{}
	}
	if !seen {
		now.begun = time.Now()
	}
	failed := u.Status == sdk.ToolCallStatusFailed
	ends := !now.ended && (failed || u.Status == sdk.ToolCallStatusCompleted)
	now.ended = now.ended || ends
	if seen || len(h.tools) < mostTools {
		h.tools[u.ToolID] = now
	}
	begun := !seen && u.Kind == "tool_call"
	h.used = true
	h.apart = h.apart || begun
	listening := h.listening
	t.mu.Unlock()
	if ends && listening && t.request.ToolCall != nil {
		t.request.ToolCall(agent.ToolCall{Name: cmp.Or(string(now.kind), "tool"), Begun: now.begun, Took: time.Since(now.begun), Failed: failed})
	}
	switch {
	case !listening:
	case begun:
		t.report.passNote("uses a tool: %s", now.displayName())
	case u.Status == sdk.ToolCallStatusFailed:
		t.report.passNote("a tool failed: %s", now.displayName())
	}
}

// withUpdate returns a tool with the additions of an update.
func (k tool) withUpdate(u *update) tool {
	for _, name := range []string{u.Title, u.toolName()} {
		if name != "" && !slices.Contains(k.names, name) && len(k.names) < mostNames {
			k.names = append(k.names[:len(k.names):len(k.names)], name)
		}
	}
	if u.Title != "" {
		k.title = u.Title
	}
	if u.ToolKind != "" {
		k.kind = u.ToolKind
	}
	for _, l := range u.Locations {
		k.paths = append(k.paths[:len(k.paths):len(k.paths)], l.Path)
	}
	var parts []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	}
	if json.Unmarshal(u.Content, &parts) == nil {
		for _, p := range parts {
			if p.Type == "diff" {
				k.paths = append(k.paths[:len(k.paths):len(k.paths)], p.Path)
			}
		}
	}
	return k
}

func (k tool) displayName() string {
	title := cmp.Or(k.title, "without a name")
	if k.kind != "" {
		title += " [" + string(k.kind) + "]"
	}
	return title
}

// toolOf returns the known facts about a call of a tool, with the additions of a request.
func (t *turn) toolOf(u *update) tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard.tools[u.ToolID].withUpdate(u)
}
