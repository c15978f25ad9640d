package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

// A Player answers from a recording. Its methods are safe for concurrent use.
type Player struct {
	*Recording
	mask   tape.Masker
	strict bool

	mu sync.Mutex
	// lists are the turns of steps, by run folder and step.
	lists map[string]*played
	// taken are the recorded runs that runs replay, by the ids of these.
	taken map[string]string
}

// played is how far a run has come in the turns of a step.
type played struct {
	*ledger.Turns
	// begun are the numbers of the turns of the current attempt.
	begun []int
	// warned: there was a warning about a request that differs from the recording.
	warned bool
}

// Play reads the recording of a tape.
func Play(t *tape.Tape) (*Player, error) {
	r, err := Read(t.Replay, t.Workflow)
	if err != nil {
		return nil, err
	}
	return &Player{Recording: r, mask: tape.NewMasker(t.Environ), strict: t.Strict, taken: map[string]string{}, lists: map[string]*played{}}, nil
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

// nextTurn returns the recorded turn that answers a request.
func (p *Player) nextTurn(r *agent.Request) (t turn, list *played, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := r.RunDir + "\x00" + r.Key
	list = p.lists[name]
	if list == nil {
		l, err := ledger.ReadTurns(r.RunDir, "replay", r.Key)
		if err != nil {
			return t, nil, err
		}
		list = &played{Turns: l}
		p.lists[name] = list
	}
	number, err := list.Begin(r.Key, r.Attempt)
	if err != nil {
		return t, nil, err
	}
	list.begun = append(list.begun, number)
	recorded := p.steps[tape.Step{Run: p.recordedRunID(r.RunID, r.Key), Step: r.Key}]
	if number >= len(recorded) {
		return t, nil, failures.New(flow.ClassFatal, failures.ReasonReplay, "%s", missingTurnMessage(r.Key, p.path, number+1, len(recorded)))
	}
	return recorded[number], list, nil
}

func missingTurnMessage(step, path string, number, recorded int) string {
	has := fmt.Sprintf("only %d", recorded)
	if recorded == 0 {
		has = "none"
	}
	return fmt.Sprintf("Node `%s` cannot be replayed: its turn %d is not in the recording %s, which has %s of this step", step, number, path, has)
}

// describeChanges says how a request differs from the recorded one, or "".
func (p *Player) describeChanges(r *agent.Request, t *turn) string {
	var list []string
	if prompt := p.mask.Text(r.Text); sha256Hex(prompt) != t.SHA256 {
		list = append(list, "the prompt is not the recorded one: "+describeFirstDifference(t.Prompt, prompt))
	}
	if !sameJSON(p.mask.JSON(r.Schema), t.Schema) {
		list = append(list, "the schema of the answer is not the recorded one")
	}
	if r.Model != t.Model {
		list = append(list, fmt.Sprintf("the model was %s and is %s", describeModel(t.Model), describeModel(r.Model)))
	}
	return strings.Join(list, "; ")
}

func describeModel(model string) string {
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
	return agent.Capabilities{Structured: !a.words[a.name], Forks: true}
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
	t, list, err := a.nextTurn(r)
	if err != nil {
		return nil, err
	}
	if changed := a.describeChanges(r, &t); changed != "" {
		if a.strict {
			return nil, failures.New(flow.ClassFatal, failures.ReasonReplay, "Node `%s` cannot be replayed strictly: %s", r.Key, changed)
		}
		a.warnOnce(list, r, changed)
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

// warnOnce warns once a step that its request differs from the recording.
func (a *replayed) warnOnce(list *played, r *agent.Request, changed string) {
	a.mu.Lock()
	warned := list.warned
	list.warned = true
	a.mu.Unlock()
	if !warned && r.Warn != nil {
		r.Warn("replayed although " + changed)
	}
}

// describeFirstDifference describes the first line in which two strings differ.
func describeFirstDifference(was, is string) string {
	old, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	n := 0
	for n < len(old) && n < len(now) && old[n] == now[n] {
		n++
	}
	switch {
	case n == len(old) && n == len(now):
		return "its text is the same, and its checksum in the recording is wrong"
	case n == len(old):
		return fmt.Sprintf("line %d, `%s`, is new", n+1, excerptAround(now[n], 0))
	case n == len(now):
		return fmt.Sprintf("line %d, `%s`, is gone", n+1, excerptAround(old[n], 0))
	}
	at := commonPrefixLength(old[n], now[n])
	return fmt.Sprintf("line %d was `%s` and is `%s`", n+1, excerptAround(old[n], at), excerptAround(now[n], at))
}

// commonPrefixLength is the length in characters of the common prefix of two strings.
func commonPrefixLength(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// excerptAround is what of a line is shown: 80 characters about the one at an index.
func excerptAround(line string, at int) string {
	const most, before = 80, 30
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	begin := max(0, min(at-before, len(runes)-most))
	text := string(runes[begin : begin+most])
	if begin > 0 {
		text = "…" + text
	}
	if begin+most < len(runes) {
		text += "…"
	}
	return text
}

// recordedRunID returns the recorded run that a run replays: the one that the same steps began.
// The caller holds the lock.
func (p *Player) recordedRunID(id, step string) string {
	root, _, child := strings.Cut(id, runid.ChildMark)
	if !child || len(p.children) == 0 {
		return ""
	}
	if run, ok := p.taken[id]; ok {
		return run
	}
	ids := map[string]string{"": root}
	for _, run := range p.children {
		origin := p.origins[run]
		ids[run] = runid.Child(ids[origin.Run], origin.Step)
		if ids[run] == id {
			p.taken[id] = run
			return run
		}
	}
	// The id of a long run, or of one with another name, does not show the root.
	taken := slices.Collect(maps.Values(p.taken))
	for _, run := range p.children {
		if !slices.Contains(taken, run) && len(p.steps[tape.Step{Run: run, Step: step}]) > 0 {
			p.taken[id] = run
			return run
		}
	}
	return ""
}
