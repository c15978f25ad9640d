package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// handleRequest performs a request of the program. Any is a sign of life.
func (t *turn) handleRequest(ctx context.Context, method string, params json.RawMessage) (any, *rpcError) {
	t.report.passAlive()
	switch method {
	case sdk.ClientMethodSessionRequestPermission:
		return t.answerPermission(ctx, params)
	case sdk.ClientMethodFsReadTextFile:
		return withParams(params, t.readFile)
	case sdk.ClientMethodFsWriteTextFile:
		return withParams(params, t.writeFile)
	case sdk.ClientMethodTerminalCreate:
		return withParams(params, t.terminals.createTerminal)
	case sdk.ClientMethodTerminalOutput:
		return withParams(params, func(q *sdk.TerminalOutputRequest) (any, *rpcError) {
			return t.terminals.withTerminal(q.TerminalId, (*terminal).answerOutput)
		})
	case sdk.ClientMethodTerminalWaitForExit:
		return withParams(params, func(q *sdk.WaitForTerminalExitRequest) (any, *rpcError) {
			return t.terminals.withTerminal(q.TerminalId, func(one *terminal) (any, *rpcError) { return one.answerExit(ctx) })
		})
	case sdk.ClientMethodTerminalKill:
		return withParams(params, func(q *sdk.KillTerminalRequest) (any, *rpcError) {
			return t.terminals.withTerminal(q.TerminalId, func(one *terminal) (any, *rpcError) {
				one.stop() // its output stays
				return sdk.KillTerminalResponse{}, nil
			})
		})
	case sdk.ClientMethodTerminalRelease:
		return withParams(params, t.terminals.releaseTerminal)
	}
	return nil, newRefusal(codeMethodNotFound, "unknown method `%s`", shortenLine(method, 60))
}

// withParams calls a function with the params of a request.
func withParams[T any](params json.RawMessage, f func(q *T) (any, *rpcError)) (any, *rpcError) {
	q := new(T)
	if refusal := decodeParams(params, q); refusal != nil {
		return nil, refusal
	}
	return f(q)
}

func decodeParams(params json.RawMessage, into any) *rpcError {
	if err := json.Unmarshal(params, into); err != nil {
		return newRefusal(codeInvalidParams, "the params cannot be read: %v", err)
	}
	return nil
}

const (
	// keptOutput is how many bytes of a command's output are kept by default; mostOutput
	// is the most that the program may request.
	keptOutput = 1 << 20
	mostOutput = 16 << 20
	// mostTerminals is how many commands there may be at once.
	mostTerminals = 64
)

// terminals are the commands that wfc runs for a program. They have no terminal:
// the protocol calls them so. Each runs as every other process of the step does,
// and none outlives the turn.
type terminals struct {
	turn *turn
	mu   sync.Mutex
	list map[string]*terminal
	last int
}

func newTerminals(t *turn) *terminals { return &terminals{turn: t, list: map[string]*terminal{}} }

// terminal is one command.
type terminal struct {
	stop context.CancelFunc
	done chan struct{} // closed when exit is set

	mu   sync.Mutex
	kept []byte
	cut  bool
	exit sdk.TerminalExitStatus
}

// createTerminal starts a command.
func (l *terminals) createTerminal(q *sdk.CreateTerminalRequest) (any, *rpcError) {
	t := l.turn
	if t.agent.policy < mayAll {
		t.noteDenial("run "+q.Command, program.All)
		return nil, newRefusal(codeInternal, "not permitted: run %s", q.Command)
	}
	dir := t.request.WorkDir
	if q.Cwd != nil && *q.Cwd != "" {
		if dir = *q.Cwd; !filepath.IsAbs(dir) {
			dir = filepath.Join(t.request.WorkDir, dir)
		}
	}
	env := append([]string(nil), t.request.Environ...)
	for _, v := range q.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	path, err := process.LookPath(q.Command, dir, env)
	if err != nil {
		return nil, newRefusal(codeNotFound, "%v", err)
	}
	limit := keptOutput
	if q.OutputByteLimit != nil && *q.OutputByteLimit >= 0 {
		limit = min(*q.OutputByteLimit, mostOutput)
	}
	ctx, stop := context.WithCancel(t.conn.work)
	running := &terminal{stop: stop, done: make(chan struct{})}
	id, ok := l.addTerminal(running)
	if !ok {
		stop()
		return nil, newRefusal(codeInternal, "%d commands run already", mostTerminals)
	}
	t.report.passNote("runs %s", q.Command)
	keep := func(piece []byte) { running.keepOutput(piece, limit) }
	t.conn.requests.Go(func() {
		running.runCommand(ctx, &process.Command{
			Path: path, Name: q.Command, Args: q.Args, Dir: dir, Env: env, Limits: t.agent.Limits,
			Owner:   process.Owner{Dir: t.request.RunDir, RunID: t.request.RunID, Key: t.request.Key},
			Consume: func(piece []byte) error { keep(piece); return nil },
			Output:  func(_ string, piece []byte) { keep(piece) },
		}, limit)
	})
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

func (l *terminals) addTerminal(one *terminal) (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) >= mostTerminals {
		return "", false
	}
	l.last++
	id = fmt.Sprintf("terminal-%d", l.last)
	l.list[id] = one
	return id, true
}

// withTerminal calls a function with the command of an id.
func (l *terminals) withTerminal(id string, do func(*terminal) (any, *rpcError)) (any, *rpcError) {
	l.mu.Lock()
	one, ok := l.list[id]
	l.mu.Unlock()
	if !ok {
		return nil, newRefusal(codeNotFound, "unknown terminal %s", quotedExcerpt(id))
	}
	return do(one)
}

func (o *terminal) runCommand(ctx context.Context, c *process.Command, limit int) {
	defer close(o.done)
	defer o.stop()
	end, err := process.Run(ctx, c)
	if err != nil {
		o.keepOutput([]byte(err.Error()+"\n"), limit)
		end = &process.End{ExitCode: 127}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if end.Signal != "" {
		o.exit.Signal = &end.Signal
	} else {
		o.exit.ExitCode = &end.ExitCode
	}
}

// keepOutput keeps the end of the output.
func (o *terminal) keepOutput(piece []byte, limit int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, piece...)
	if over := len(o.kept) - limit; over > 0 {
		for over < len(o.kept) && !utf8.RuneStart(o.kept[over]) {
			over++
		}
		o.kept = append(o.kept[:0], o.kept[over:]...)
		o.cut = true
	}
}

// answerOutput answers with the output so far.
func (o *terminal) answerOutput() (any, *rpcError) {
	o.mu.Lock()
	defer o.mu.Unlock()
	answer := sdk.TerminalOutputResponse{Output: string(o.kept), Truncated: o.cut}
	select {
	case <-o.done:
		exit := o.exit
		answer.ExitStatus = &exit
	default:
	}
	return answer, nil
}

// answerExit answers when the command has ended.
func (o *terminal) answerExit(ctx context.Context) (any, *rpcError) {
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, newRefusal(codeInternal, "the turn is over")
	}
	return sdk.WaitForTerminalExitResponse{ExitCode: o.exit.ExitCode, Signal: o.exit.Signal}, nil
}

// releaseTerminal ends a command and forgets it.
func (l *terminals) releaseTerminal(q *sdk.ReleaseTerminalRequest) (any, *rpcError) {
	return l.withTerminal(q.TerminalId, func(one *terminal) (any, *rpcError) {
		one.stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.list, q.TerminalId)
		return sdk.ReleaseTerminalResponse{}, nil
	})
}
