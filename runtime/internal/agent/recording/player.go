package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/turns"
)

// A Player answers from a recording. Its methods are safe for concurrent use.
type Player struct {
	*Recording
	mask   *masker
	strict bool

	mu sync.Mutex
	// lists are the turns of steps, by run folder and step.
	lists map[string]*played
}

// played is how far a run has come in the turns of a step.
type played struct {
	*turns.List
	// begun are the numbers of the turns of the attempt that goes on.
	begun []int
	// told says that it was told of a turn that was not asked for as it was
	// recorded.
	told bool
}

// Play reads the recording of a tape.
func Play(tape *engine.Tape) (*Player, error) {
	r, err := Read(tape.Replay, tape.Workflow)
	if err != nil {
		return nil, err
	}
	return &Player{Recording: r, mask: newMasker(tape.Environ), strict: tape.Strict, lists: map[string]*played{}}, nil
}

// Agent returns the agent that answers under a name.
func (p *Player) Agent(name string) agent.Agent { return &replayed{p, name} }

// Failed says that an attempt at a step has failed, so that asking the step
// again means its next turns.
func (p *Player) Failed(dir, step string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lists[dir+"\x00"+step]
	if l == nil {
		return nil
	}
	begun := l.begun
	l.begun = nil
	for _, number := range begun {
		if err := l.End(number, true); err != nil {
			return err
		}
	}
	return nil
}

// next returns the recorded turn that answers a request.
func (p *Player) next(r *agent.Request) (t turn, list *played, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := r.Dir + "\x00" + r.Key
	list = p.lists[name]
	if list == nil {
		l, err := turns.Read(r.Dir, "replay", r.Key)
		if err != nil {
			return t, nil, err
		}
		list = &played{List: l}
		p.lists[name] = list
	}
	number, err := list.Begin(r.Key, r.Attempt)
	if err != nil {
		return t, nil, err
	}
	list.begun = append(list.begun, number)
	recorded := p.steps[r.Key]
	if number >= len(recorded) {
		return t, nil, &flow.Failure{Class: flow.ClassFatal, Reason: agent.ReasonReplay, ExitCode: -1, Message: missing(r.Key, p.path, number+1, len(recorded))}
	}
	return recorded[number], list, nil
}

func missing(step, path string, number, recorded int) string {
	has := fmt.Sprintf("only %d", recorded)
	if recorded == 0 {
		has = "none"
	}
	return fmt.Sprintf("Node '%s' cannot be replayed: its turn %d is not in the recording %s, which has %s of this step", step, number, path, has)
}

// changed says how a request differs from the recorded one, or "".
func (p *Player) changed(r *agent.Request, t *turn) string {
	var list []string
	if prompt := p.mask.text(r.Text); sum(prompt) != t.SHA256 {
		list = append(list, "the prompt is not the recorded one: "+difference(t.Prompt, prompt))
	}
	if !sameJSON(p.mask.json(r.Schema), t.Schema) {
		list = append(list, "the schema of the answer is not the recorded one")
	}
	if r.Model != t.Model {
		list = append(list, fmt.Sprintf("the model was %s and is %s", named(t.Model), named(r.Model)))
	}
	return strings.Join(list, "; ")
}

func named(model string) string {
	if model == "" {
		return "the agent's own"
	}
	return "`" + model + "`"
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if len(a) == 0 || len(b) == 0 || json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// replayed is an agent that a recording answers for.
type replayed struct {
	*Player
	name string
}

var _ agent.Inspector = (*replayed)(nil)

// Capabilities implements agent.Agent.
func (a *replayed) Capabilities() agent.Capabilities {
	return agent.Capabilities{Structured: !a.words[a.name]}
}

// Inspect implements agent.Inspector.
func (*replayed) Inspect(_ context.Context, _ *engine.Inspection, s *engine.AgentState) {
	s.Installed, s.SignedIn, s.Usable = engine.Yes, engine.Yes, engine.Yes
}

// Turn implements agent.Agent.
func (a *replayed) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, list, err := a.next(r)
	if err != nil {
		return nil, err
	}
	if changed := a.changed(r, &t); changed != "" {
		if a.strict {
			return nil, &flow.Failure{Class: flow.ClassFatal, Reason: agent.ReasonReplay, ExitCode: -1,
				Message: fmt.Sprintf("Node '%s' cannot be replayed strictly: %s", r.Key, changed)}
		}
		a.tell(list, r, changed)
	}
	if r.Output != nil && t.Text != "" {
		r.Output([]byte(t.Text))
	}
	reply := &agent.Reply{Text: t.Text, Structured: t.Structured, Meta: t.Meta}
	reply.Meta.Turns = max(1, t.Meta.Turns) // so that it says that it is replayed
	reply.Meta.Replayed = reply.Meta.Usage()
	if t.Failure != nil {
		failure := *t.Failure
		return reply, &failure
	}
	return reply, nil
}

// tell tells once a step that it is not asked as it was.
func (a *replayed) tell(list *played, r *agent.Request, changed string) {
	a.mu.Lock()
	told := list.told
	list.told = true
	a.mu.Unlock()
	if !told && r.Warn != nil {
		r.Warn("replayed although " + changed)
	}
}
