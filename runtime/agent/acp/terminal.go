package acp

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

const (
	// keptOutput is how much of a command's output is kept when the program does
	// not say, in bytes; mostOutput is what it may say at most.
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

// create starts a command.
func (l *terminals) create(q *sdk.CreateTerminalRequest) (any, *rpcError) {
	t := l.turn
	if t.agent.policy < mayAll {
		t.denied("run "+q.Command, program.All)
		return nil, refuse(codeInternal, "not permitted: run %s", q.Command)
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
		return nil, refuse(codeNotFound, "%v", err)
	}
	limit := keptOutput
	if q.OutputByteLimit != nil && *q.OutputByteLimit >= 0 {
		limit = min(*q.OutputByteLimit, mostOutput)
	}
	ctx, stop := context.WithCancel(t.conn.work)
	running := &terminal{stop: stop, done: make(chan struct{})}
	id, ok := l.add(running)
	if !ok {
		stop()
		return nil, refuse(codeInternal, "there are %d commands already", mostTerminals)
	}
	t.tell.note("runs %s", q.Command)
	keep := func(piece []byte) { running.keep(piece, limit) }
	t.conn.requests.Go(func() {
		running.run(ctx, &process.Command{
			Path: path, Name: q.Command, Args: q.Args, Dir: dir, Env: env, Limits: t.agent.Limits,
			Owner:   process.Owner{Dir: t.request.Dir, RunID: t.request.RunID, Key: t.request.Key},
			Consume: func(piece []byte) error { keep(piece); return nil },
			Output:  func(_ string, piece []byte) { keep(piece) },
		}, limit)
	})
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

func (l *terminals) add(one *terminal) (id string, ok bool) {
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

func (l *terminals) find(id string) (*terminal, *rpcError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, ok := l.list[id]; ok {
		return one, nil
	}
	return nil, refuse(codeNotFound, "there is no terminal %s", excerpt(id))
}

func (o *terminal) run(ctx context.Context, c *process.Command, limit int) {
	defer close(o.done)
	defer o.stop()
	end, err := process.Run(ctx, c)
	if err != nil {
		o.keep([]byte(err.Error()+"\n"), limit)
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

// keep keeps the end of the output.
func (o *terminal) keep(piece []byte, limit int) {
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

// output answers with what a command has printed so far.
func (l *terminals) output(q *sdk.TerminalOutputRequest) (any, *rpcError) {
	one, refusal := l.find(q.TerminalId)
	if refusal != nil {
		return nil, refusal
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	answer := sdk.TerminalOutputResponse{Output: string(one.kept), Truncated: one.cut}
	select {
	case <-one.done:
		exit := one.exit
		answer.ExitStatus = &exit
	default:
	}
	return answer, nil
}

// wait answers when a command has ended.
func (l *terminals) wait(ctx context.Context, q *sdk.WaitForTerminalExitRequest) (any, *rpcError) {
	one, refusal := l.find(q.TerminalId)
	if refusal != nil {
		return nil, refusal
	}
	select {
	case <-one.done:
	case <-ctx.Done():
		return nil, refuse(codeInternal, "the turn is over")
	}
	return sdk.WaitForTerminalExitResponse{ExitCode: one.exit.ExitCode, Signal: one.exit.Signal}, nil
}

// kill ends a command; its output stays.
func (l *terminals) kill(q *sdk.KillTerminalRequest) (any, *rpcError) {
	one, refusal := l.find(q.TerminalId)
	if refusal != nil {
		return nil, refusal
	}
	one.stop()
	return sdk.KillTerminalResponse{}, nil
}

// release ends a command and forgets it.
func (l *terminals) release(q *sdk.ReleaseTerminalRequest) (any, *rpcError) {
	one, refusal := l.find(q.TerminalId)
	if refusal != nil {
		return nil, refusal
	}
	one.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.list, q.TerminalId)
	return sdk.ReleaseTerminalResponse{}, nil
}
