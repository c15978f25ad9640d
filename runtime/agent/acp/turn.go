package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

const (
	// leave is how long a program may take to end by itself after the end of its
	// input; then it gets a signal.
	leave = time.Second
	// cancelMoment is how long a program may take to stop a turn that is
	// cancelled, and closeMoment to close a session.
	cancelMoment = 2 * time.Second
	closeMoment  = 2 * time.Second
	// settleMoment is how long to wait for a program's greeting in a new session. Some
	// programs send it as if it were the beginning of the reply.
	settleMoment = 50 * time.Millisecond
	// defaultGrace is that of process.Limits.
	defaultGrace = 5 * time.Second
)

// A turn is one conversation with a program.
type turn struct {
	agent   *client
	request *agent.Request
	options options.Values
	program *program.Program
	// name is the program's name in messages, and known the name in the table of quirks,
	// or "".
	name   string
	known  string
	quirks quirks
	// args are its arguments; modelInArgs says that they name the model.
	args        []string
	modelInArgs bool
	servers     []options.Server
	conn        *connection
	report      *reporter
	files       *files
	terminals   *terminals
	// stage says for messages how far the conversation is.
	stage string
	// start is what the program said of itself, and session the session.
	start   started
	session session
	// firstNoise is the first line that was not a message, and noise counts the bytes of
	// all such lines.
	firstNoise string
	noise      int
	// printed is the end of what came on standard error, if a line of it has a meaning.
	printed []byte

	// mu guards what the program's updates change.
	mu      sync.Mutex
	heard   heard
	denials denials
}

// prepareTurn makes a turn, without starting anything.
func (a *client) prepareTurn(r *agent.Request, o options.Values) (*turn, error) {
	p, err := program.Find(a.choice, r.Environ, r.WorkDir)
	if err != nil {
		return nil, err
	}
	t := &turn{agent: a, request: r, options: o, program: p, name: p.Name, conn: newConnection(r.Environ), report: newReporter(r), stage: "when it was started"}
	if t.args, t.modelInArgs, err = insertModel(p.Args, r.Model); err != nil {
		return nil, err
	}
	if err := p.Guard(t.args); err != nil {
		return nil, err
	}
	t.known = nameOf(p.Name, t.args)
	t.quirks = quirksOf[t.known]
	list, missing, err := options.ReadServers(o.MCP, r.Environ)
	if err != nil {
		return nil, failures.Fatal("agent `%s`: %v", r.Agent, err)
	}
	t.servers = list
	for _, name := range missing {
		t.report.passWarning("the MCP servers refer to the variable %s, which is not set", name)
	}
	if t.files, err = openFiles(r.WorkDir, r.ArtifactsDir, a.policy); err != nil {
		return nil, failures.Fatal("agent `%s`: %v", r.Agent, err)
	}
	t.terminals = newTerminals(t)
	t.conn.notified, t.conn.requested, t.conn.noise = t.handleNotification, t.handleRequest, t.handleNoise
	return t, nil
}

// containRequests makes what the program requests happen where the program itself runs: commands start
// in the same sandbox, and wfc, which is outside, reads and writes no files for it.
func (t *turn) containRequests(ctx context.Context) {
	t.conn.stopWork()
	t.conn.work, t.conn.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	t.files.contained = process.IsContained(ctx)
}

// runProgram starts the program, talks to it, and ends it. Nothing of it is left
// running when run returns.
func (t *turn) runProgram(ctx context.Context, talk func(ctx context.Context) error) error {
	defer t.files.closeRoots()
	defer t.report.flushAndClose()
	t.containRequests(ctx)
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	// A cancelled turn is over soon, even if it waits.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(min(cancelMoment, t.gracePeriod()), end) })
	defer stop()
	var said error
	c := t.buildCommand()
	c.Consume = t.conn.consumeOutput
	c.Feed = func(gone context.Context, w io.Writer) {
		t.conn.setWriter(gone, w)
		said = talk(ctx)
		t.conn.stopWork()
		if ctx.Err() != nil {
			end()
			return
		}
		time.AfterFunc(leave, end)
	}
	ended, err := process.Run(alive, c)
	t.conn.stopAndWait()
	t.tellDenials()
	switch {
	case err != nil:
		return fmt.Errorf("agent `%s`: %w", t.request.Agent, err)
	case said == nil:
		return nil // also when ctx has ended since: the turn was over by then
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return t.explainError(said, ended)
}

func (t *turn) buildCommand() *process.Command {
	c := t.program.Command(t.request)
	c.Args, c.Env, c.Limits = t.args, programEnviron(t.known, t.agent.policy, t.request.Environ), t.agent.Limits
	c.Output = func(_ string, piece []byte) { t.handleStderr(piece) }
	return c
}

func (t *turn) gracePeriod() time.Duration {
	if t.agent.Limits.Grace > 0 {
		return t.agent.Limits.Grace
	}
	return defaultGrace
}

// takeTurn has the program take the turn.
func (t *turn) takeTurn(ctx context.Context) error {
	if err := t.negotiateProtocol(ctx); err != nil {
		return err
	}
	if err := t.openSession(ctx); err != nil {
		return err
	}
	t.report.passCost(t.costSoFar())
	if err := t.selectModel(ctx); err != nil {
		return err
	}
	t.stage = "in the middle of its turn"
	t.conn.pauseFor(ctx, settleMoment)
	withHeard(t, func(h *heard) bool { h.listening = true; return true }) // the reply begins
	err := t.sendPrompt(ctx)
	t.keepCost()
	if err == nil && t.options.BudgetUSD > 0 && withHeard(t, func(h *heard) bool { return h.total == nil }) {
		t.report.passWarning("`maxBudgetUsd` did not limit this turn, because the agent program `%s` reports no cost", t.name)
	}
	if err == nil && t.start.Capabilities.Session.Close != nil {
		t.closeSession(ctx)
	}
	return err
}

// sendPrompt sends the prompt. When ctx ends, it asks the program to stop, and waits for the
// remaining messages until run ends it.
func (t *turn) sendPrompt(ctx context.Context) error {
	id := sdk.SessionId(t.session.ID)
	stop := context.AfterFunc(ctx, func() { t.conn.sendNotification(sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: id}) })
	defer stop()
	answer, err := callMethod[promptAnswer](context.WithoutCancel(ctx), t.conn, sdk.AgentMethodSessionPrompt, sdk.PromptRequest{SessionId: id, Prompt: t.promptBlocks()})
	cancelled := ctx.Err()
	t.countTokens(answer.reportedUsage())
	t.report.passCost(t.costSoFar())
	if cancelled != nil {
		return cancelled
	}
	var refused *rpcError
	if errors.As(err, &refused) && refused.wantsSignIn() {
		return t.signedOut(refused)
	}
	if errors.As(err, &refused) && refused.refusesKey() {
		return t.keyRefused(refused)
	}
	if err != nil {
		return err
	}
	if answer.StopReason == sdk.StopReasonCancelled {
		// Programs that stop when something is refused may say so.
		if err := t.refusedToEnd(); err != nil {
			return err
		}
	}
	if err := t.checkStopReason(answer.StopReason); err != nil {
		return err
	}
	if err := t.failedQuietly(answer.reportedUsage()); err != nil {
		return err
	}
	return t.refusedToEnd()
}

type promptAnswer struct {
	StopReason sdk.StopReason `json:"stopReason"`
	Usage      *usage         `json:"usage"`
	// Meta is what the program adds to the protocol, in any form.
	Meta json.RawMessage `json:"_meta"`
}

// checkStopReason judges why the program ended its turn.
func (t *turn) checkStopReason(reason sdk.StopReason) error {
	text := "the agent program `" + t.name + "` "
	switch reason {
	case sdk.StopReasonEndTurn:
		return nil
	case sdk.StopReasonMaxTokens:
		return failures.New(flow.ClassUnknown, failures.ReasonAgent, "%sended its answer early: the model's token limit was reached", text)
	case sdk.StopReasonMaxTurnRequests:
		if t.quirks.repetition {
			return failures.New(flow.ClassUnknown, failures.ReasonAgent, "%sended its turn early: its model repeated itself, or reached the maximum of requests in one turn that the program's settings have (`maxSessionTurns`)", text)
		}
		return failures.New(flow.ClassUnknown, failures.ReasonAgent, "%sended its turn early: it reached the maximum of requests to its model in one turn", text)
	case sdk.StopReasonRefusal:
		return failures.Fatal("%srefused to answer", text)
	case sdk.StopReasonCancelled:
		return failures.New(flow.ClassUnknown, failures.ReasonAgent, "%scancelled its turn by itself", text)
	}
	return failures.New(flow.ClassUnknown, failures.ReasonOutput, "%sended its turn for an unknown reason: %s", text, quotedExcerpt(string(reason)))
}

// closeSession lets the program put the session away. It is a courtesy.
func (t *turn) closeSession(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, closeMoment)
	defer stop()
	_, _ = callMethod[struct{}](ctx, t.conn, sdk.AgentMethodSessionClose, sdk.CloseSessionRequest{SessionId: sdk.SessionId(t.session.ID)})
}

// promptBlocks are the parts of the prompt: the words, then the files to read first.
func (t *turn) promptBlocks() []sdk.ContentBlock {
	var text strings.Builder
	if t.options.SystemPrompt != "" {
		// The protocol has no field for it.
		text.WriteString(options.Preface(t.options.SystemPrompt))
	}
	text.WriteString(t.request.Instruct())
	blocks := []sdk.ContentBlock{sdk.TextBlock(text.String())}
	for _, name := range t.request.Files {
		blocks = append(blocks, sdk.ResourceLinkBlock(name, fileURI(t.request.WorkDir, name)))
	}
	return blocks
}

// buildReply returns the program's reply, also if the turn failed: its cost is known then too.
func (t *turn) buildReply() *agent.Reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &agent.Reply{Text: t.heard.text.String(), Meta: t.heard.meta}
}
