package acp

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// started is a program's description of itself.
type started struct {
	ProtocolVersion *json.Number `json:"protocolVersion"`
	Info            struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
	Capabilities struct {
		LoadSession bool `json:"loadSession"`
		MCP         struct {
			HTTP bool `json:"http"`
			SSE  bool `json:"sse"`
		} `json:"mcpCapabilities"`
		Session struct {
			Resume *struct{} `json:"resume"`
			Close  *struct{} `json:"close"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	AuthMethods []authMethod `json:"authMethods"`
}

// session is a program's description of a session that it opened.
type session struct {
	ID      string            `json:"sessionId"`
	Models  *models           `json:"models"`
	Options []json.RawMessage `json:"configOptions"`
}

// negotiateProtocol agrees with the program on how to talk.
func (t *turn) negotiateProtocol(ctx context.Context) error {
	t.stage = "before it said that it speaks the Agent Client Protocol"
	may := t.agent.policy
	start, err := callInTime[started](ctx, t, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "wfc", Version: "1"},
		ClientCapabilities: sdk.ClientCapabilities{
			Fs:       sdk.FileSystemCapabilities{ReadTextFile: !t.quirks.readsItself && !t.files.contained, WriteTextFile: may >= mayEdit && !t.files.contained},
			Terminal: may >= mayAll,
		},
	})
	if refused, ok := errors.AsType[*rpcError](err); ok && refused.Code == codeMethodNotFound {
		return failures.Fatal("the program `%s` does not speak the Agent Client Protocol: %s", t.name, refused.fullMessage())
	}
	if err != nil {
		return err
	}
	if start.ProtocolVersion == nil {
		return newGarbledError("answered `initialize` without a version of the protocol")
	}
	if v := start.ProtocolVersion.String(); v != "1" {
		return failures.Fatal("the agent program `%s` speaks version %s of the Agent Client Protocol, and wfc speaks version 1; install a version of the program that speaks it too", t.name, shortenLine(v, 20))
	}
	t.start = start
	t.selectQuirks()
	return nil
}

// callInTime makes a request that the program has to answer in good time, which is all
// but the prompt: a program that does not would keep the run waiting until its
// agent counts as silent.
func callInTime[T any](ctx context.Context, t *turn, method string, params any) (T, error) {
	limit := t.agent.StartLimit
	limited, stop := t.agent.timerOrSystem().Limit(ctx, limit)
	defer stop()
	result, err := callMethod[T](limited, t.conn, method, params)
	if err == nil || ctx.Err() != nil || limited.Err() == nil || !errors.Is(err, limited.Err()) {
		return result, err
	}
	if method == sdk.AgentMethodInitialize {
		return result, failures.New(flow.ClassTransient, failures.ReasonTimeout, "the agent program `%s` did not say within %v that it speaks the Agent Client Protocol", t.name, limit)
	}
	return result, failures.New(flow.ClassTransient, failures.ReasonTimeout, "the agent program `%s` did not answer `%s` within %v", t.name, method, limit)
}

// openSession opens the session, signing in first where that needs nobody.
func (t *turn) openSession(ctx context.Context) error {
	t.stage = "when its session was opened"
	t.remoteOnly()
	list, err := t.mcpServers()
	if err != nil {
		return err
	}
	err = t.openOnce(ctx, list)
	var refused *rpcError
	if !errors.As(err, &refused) || !refused.wantsSignIn() {
		return err
	}
	if signErr := t.signIn(ctx, refused); signErr != nil {
		return signErr
	}
	if err = t.openOnce(ctx, list); errors.As(err, &refused) && refused.wantsSignIn() {
		return t.signedOut(refused)
	}
	return err
}

// openOnce opens the requested session. A step that prefers to continue its session of
// the last run, but need not, begins a new one if that fails.
func (t *turn) openOnce(ctx context.Context, list []sdk.McpServer) error {
	earlier := t.request.Session
	if t.request.FreshSession || earlier == "" {
		return t.openNew(ctx, list)
	}
	err := t.openEarlier(ctx, list, earlier)
	if gone, ok := errors.AsType[*failures.SessionGone](err); ok && t.request.Persist {
		t.report.passWarning("%v; a new session starts", gone)
		return t.openNew(ctx, list)
	}
	return err
}

func (t *turn) openNew(ctx context.Context, list []sdk.McpServer) error {
	from := t.agent.timerOrSystem().Now()
	s, err := callInTime[session](ctx, t, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: t.request.WorkDir, McpServers: list})
	if err != nil {
		return err
	}
	t.keepBeginning(s.ID, from)
	if s.ID == "" {
		return newGarbledError("opened a session without an id")
	}
	t.useSession(s, false)
	return nil
}

func (t *turn) openEarlier(ctx context.Context, list []sdk.McpServer, earlier string) error {
	var s session
	var err error
	gone := func(format string, args ...any) error {
		return &failures.SessionGone{Failure: failures.Fatal("the agent program `%s` cannot resume the session %s: "+format, append([]any{t.name, quotedExcerpt(earlier)}, args...)...)}
	}
	if err := t.waitForMinute(ctx, earlier); err != nil {
		return err
	}
	switch c := t.start.Capabilities; {
	case c.Session.Resume != nil:
		s, err = callInTime[session](ctx, t, sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{Cwd: t.request.WorkDir, McpServers: list, SessionId: sdk.SessionId(earlier)})
	case c.LoadSession:
		s, err = callInTime[session](ctx, t, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{Cwd: t.request.WorkDir, McpServers: list, SessionId: sdk.SessionId(earlier)})
	default:
		return gone("it can neither load nor resume sessions; use a fresh session or another agent")
	}
	if refused, ok := errors.AsType[*rpcError](err); ok && !refused.wantsSignIn() && refused.failureClass() != flow.ClassTransient {
		return gone("%s", refused.fullMessage())
	}
	if err == nil {
		s.ID = earlier // the answers need not repeat it
		t.useSession(s, true)
	}
	return err
}

func (t *turn) useSession(s session, earlier bool) {
	t.session = s
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard.meta.Session = s.ID
	t.heard.meta.Turns = 1
	t.heard.session, t.heard.earlier = s.ID, earlier
	t.heard.afresh = t.quirks.costsAfresh
	switch {
	case t.heard.afresh:
		t.heard.before, t.heard.known = 0, true
	case earlier && !t.heard.known:
		t.heard.known = t.costBook().Last(s.ID, &t.heard.before)
		if t.heard.before == countsAfresh {
			t.heard.before, t.heard.afresh = 0, true
		}
	}
}

// mcpServers returns the servers of the prompt as the protocol has them.
func (t *turn) mcpServers() ([]sdk.McpServer, error) {
	list := make([]sdk.McpServer, 0, len(t.servers))
	for _, s := range t.servers {
		switch can := t.start.Capabilities.MCP; {
		case s.Type == "http" && !can.HTTP, s.Type == "sse" && !can.SSE:
			return nil, failures.Fatal("the agent program `%s` cannot use the MCP server `%s`: it does not support servers of type `%s`", t.name, s.Name, s.Type)
		case s.Type == "http":
			list = append(list, sdk.McpServer{Http: &sdk.McpServerHttpInline{Type: s.Type, Name: s.Name, Url: s.URL, Headers: httpHeaders(s.Headers, t.quirks)}})
		case s.Type == "sse":
			list = append(list, sdk.McpServer{Sse: &sdk.McpServerSseInline{Type: s.Type, Name: s.Name, Url: s.URL, Headers: httpHeaders(s.Headers, t.quirks)}})
		default:
			path, err := process.LookPath(s.Command, t.request.WorkDir, t.request.Environ)
			if err != nil {
				return nil, failures.New(flow.ClassFatal, process.ReasonStart, "the MCP server `%s`: %v", s.Name, err)
			}
			list = append(list, sdk.McpServer{Stdio: &sdk.McpServerStdio{Name: s.Name, Command: path, Args: append([]string{}, s.Args...), Env: envVariables(s.Env, t.quirks)}})
		}
	}
	return list, nil
}

func httpHeaders(values []options.ServerValue, known quirks) []sdk.HttpHeader {
	list := make([]sdk.HttpHeader, 0, len(values))
	for _, v := range values {
		list = append(list, sdk.HttpHeader{Name: v.Name, Value: known.escapeServerValue(v.Text)})
	}
	return list
}

func envVariables(values []options.ServerValue, known quirks) []sdk.EnvVariable {
	list := make([]sdk.EnvVariable, 0, len(values))
	for _, v := range values {
		list = append(list, sdk.EnvVariable{Name: v.Name, Value: known.escapeServerValue(v.Text)})
	}
	return list
}

// fileURI returns the address of a file of the working directory.
func fileURI(dir, name string) string {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, name)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
