// Package runner executes generated workflows for the conformance test: the
// scheduler of real runs with real processes, agents whose replies are
// scripted, and a clock that nobody waits for. It is linked with the workflows
// of all cases into one program, which takes jobs as JSON on standard input and
// prints what came of them.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/script"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
	"github.com/wfc-lang/wfc/runtime/wfctest"
)

// A Job is one run, with the processes that resume it.
type Job struct {
	// Workflow is the name of the workflow in the program's table.
	Workflow string
	// Inputs are the run's inputs, a JSON object.
	Inputs json.RawMessage
	// Given are further inputs, each NAME=VALUE. With them, all other inputs have
	// their defaults.
	Given []string
	// Run is the information that the run gets about itself. Missing folders are made.
	Run flow.RunInfo
	// Results are the ends of actions that are not performed, by key.
	Results map[string]flow.Result
	// Replies are the agents' replies, as files of scripted agents have them.
	Replies json.RawMessage
	// BestEffort are the names of agents that cannot hold to schemas.
	BestEffort []string
	// Files are written into the folder that the run works in.
	Files map[string]string
	// Environ are environment variables besides the program's own.
	Environ []string
	// Saved is the state file of an earlier run of a state graph, from which the job
	// continues; if empty, it begins at the start. Iterations replace the workflow's
	// limit of iterations unless nil.
	Saved      json.RawMessage
	Iterations *int
	// Reviews are the answers to reviews, by step, of which the last repeats; all
	// others are accepted. Nil leaves reviews open.
	Reviews map[string][]Step
	// Args has the command line of a program do the job, with these arguments and this
	// standard input.
	Args  []string
	Stdin string
	// Family has the job done with runs of other workflows; Run, Inputs, Files, Environ and
	// BestEffort have a meaning there.
	Family *Family
	// Session has the job done by a whole engine; Steps and Results have no meaning
	// there.
	Session *Session
	// mark makes the id of the run one that no other job has, in a world.
	mark string
	// Steps are what happens after the run's first process, each before a process that
	// continues the run.
	Steps []Step
}

// A Step is what happens before a run is resumed: somebody answers the first
// question that is open, or nothing does.
type Step struct {
	// Choice is the answer, and Text the comment with it. Without a choice nobody
	// answers.
	Choice, Text string
}

// An Outcome is what came of a job.
type Outcome struct {
	// End is how the last process of the run ended.
	End flow.RunState
	// Steps are the steps as last committed, those of nodes in definition
	// order first.
	Steps []flow.Record
	// Turns are the turns that agents took, in order.
	Turns []Turn
	// State is the final content of the state file of a state graph's run.
	State *State
	// Exit is the exit code of a command line, and Stdout what it printed.
	Exit   int
	Stdout string
	// Family is what came of a job that has one, which has no End and no Steps.
	Family *FamilyEnd
	// Session is what came of a job that has one, which has no End and no Steps.
	Session *SessionEnd
	// Error says why the job could not be done.
	Error string
}

// Step returns the state of a step, or the zero Record.
func (o *Outcome) Step(key string) flow.Record {
	for _, r := range o.Steps {
		if r.Key == key {
			return r
		}
	}
	return flow.Record{}
}

// parallel is how many jobs are done at once.
const parallel = 8

// ServerVariable is the environment variable with the address of the server whose world it
// is. Its clock does not jump, so jobs mostly wait, and parallelServed are done at once.
const (
	ServerVariable = "WFC_TEST_TEMPORAL"
	parallelServed = 12
)

// TestMode is the argument with which the program is that of `wfc test`: it takes a request
// for tests instead of jobs.
const TestMode = "test"

// Main is the main function of the program.
func Main(workflows map[string]*flow.Definition) { MainIn(nil, workflows) }

// A NewWorld makes the world of a run.
type NewWorld func(r *enginetest.Run) World

// MainIn is the main function of a program whose runs are worked on in another world. Jobs
// of a whole engine are done there only if they need no more than a run.
func MainIn(world NewWorld, workflows map[string]*flow.Definition) {
	if slices.Contains(os.Args[1:], TestMode) {
		wfctest.Main(workflows, nil, nil)
	}
	var jobs []Job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fmt.Fprintln(os.Stderr, "read the jobs:", err)
		os.Exit(1)
	}
	outcomes := make([]Outcome, len(jobs))
	slots := make(chan struct{}, parallel)
	if os.Getenv(ServerVariable) != "" {
		slots = make(chan struct{}, parallelServed)
	}
	var wait sync.WaitGroup
	attended := false
	for i := range jobs {
		if world != nil {
			jobs[i].mark = mark(i)
		}
		if jobs[i].Session != nil && (world == nil || os.Getenv(ServerVariable) == "") {
			attended = true
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if err := do(world, &jobs[i], workflows[jobs[i].Workflow], &outcomes[i]); err != nil {
				outcomes[i].Error = err.Error()
			}
			if world != nil {
				unmark(&outcomes[i], i)
			}
		})
	}
	wait.Wait()
	if attended {
		sessions(world, jobs, workflows, outcomes, func() { write(outcomes) })
	}
	write(outcomes)
}

func write(outcomes []Outcome) {
	if err := json.NewEncoder(os.Stdout).Encode(outcomes); err != nil {
		fmt.Fprintln(os.Stderr, "write the outcomes:", err)
		os.Exit(1)
	}
}

func do(world NewWorld, job *Job, def *flow.Definition, out *Outcome) error {
	if def == nil {
		return fmt.Errorf("there is no workflow %q", job.Workflow)
	}
	dir, err := os.MkdirTemp("", "wfc-conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if job.Args != nil {
		command(world, job, def, dir, out)
		return nil
	}
	if job.Session != nil {
		return attendIn(world, job, def, dir, out)
	}
	if job.Family != nil {
		return doFamily(world, job, def, dir, out)
	}
	var transcript bytes.Buffer
	h, err := newHost(job, def, dir, &transcript)
	if err != nil {
		return err
	}
	if def.Graph != nil {
		if err := h.goOn(dir); err != nil {
			return err
		}
	}
	if world != nil {
		h.world = world(h.Run)
		defer h.world.Close()
	}
	if err := h.write(); err != nil {
		return err
	}
	for i := range len(job.Steps) + 1 {
		if i > 0 {
			if err := h.answer(job.Steps[i-1]); err != nil {
				return err
			}
		}
		end, err := h.process()
		for err == nil && end.Status == flow.Paused && h.review() {
			end, err = h.process()
		}
		if err != nil {
			return err
		}
		out.End = end
	}
	out.Steps = h.Steps
	if def.Graph != nil {
		if out.State, err = h.state(); err != nil {
			return err
		}
	}
	return turns(transcript.Bytes(), out)
}

// command runs a program's command line. Its runs are lost. In another world, it is a program
// for a cluster that no connection reaches.
func command(world NewWorld, job *Job, def *flow.Definition, dir string, out *Outcome) {
	p := cli.Program{Definition: def, OpenStore: func(context.Context, string) (store.Store, error) { return memory.New(), nil }}
	if world != nil {
		p.Cluster = unreachable{}
	}
	var stdout bytes.Buffer
	out.Exit = cli.Run(p, append(job.Args, "--state", dir), cli.Streams{In: strings.NewReader(job.Stdin), Out: &stdout, Err: io.Discard})
	out.Stdout = stdout.String()
}

// unreachable is a cluster that no command line can use.
type unreachable struct{}

// Name implements engine.Extension.
func (unreachable) Name() string { return "nowhere" }

// A Turn is a turn that an agent took.
type Turn struct {
	Step    string
	Prompt  string
	Session string
	// Of families: the node as recorded cases name it, the agent, its model and options.
	Node, Agent, Model string
	Options            []flow.Option
}

func turns(transcript []byte, out *Outcome) error {
	for line := range bytes.Lines(transcript) {
		var t Turn
		if err := json.Unmarshal(line, &t); err != nil {
			return err
		}
		out.Turns = append(out.Turns, t)
	}
	return nil
}

// given returns the inputs of a job that gives some as text.
func given(job *Job, def *flow.Definition) json.RawMessage {
	values := map[string]json.RawMessage{}
	for _, in := range def.Inputs {
		if in.Default != "" {
			values[in.Name] = json.RawMessage(in.Default)
		}
	}
	if err := json.Unmarshal(job.Inputs, &values); err != nil {
		panic(err)
	}
	for _, text := range job.Given {
		name, value, _ := strings.Cut(text, "=")
		values[name] = json.RawMessage(value)
		i := slices.IndexFunc(def.Inputs, func(in flow.InputInfo) bool { return in.Name == name })
		if i < 0 || def.Inputs[i].Type == "text" || !json.Valid(values[name]) {
			quoted, err := json.Marshal(value)
			if err != nil {
				panic(err)
			}
			values[name] = quoted
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return text
}

func newHost(job *Job, def *flow.Definition, dir string, transcript *bytes.Buffer) (*host, error) {
	info := job.Run
	info.Workflow, info.Fingerprint, info.Inputs = def.Name, def.Fingerprint, job.Inputs
	if job.Given != nil {
		info.Inputs = given(job, def)
	}
	info.ID = cmp.Or(info.ID, "run-1")
	info.ID += job.mark
	info.DocsDir = cmp.Or(info.DocsDir, "docs/")
	for _, d := range []struct {
		path *string
		name string
	}{{&info.WorkDir, "work"}, {&info.ArtifactsDir, "artifacts"}, {&info.LogDir, "log"}, {&info.SharedDir, "state"}} {
		if *d.path == "" {
			*d.path = filepath.Join(dir, d.name)
			if err := os.Mkdir(*d.path, 0o777); err != nil {
				return nil, err
			}
		}
	}
	prompts, err := prompts(job, def, transcript)
	if err != nil {
		return nil, err
	}
	own := filepath.Join(dir, "run")
	if err := os.Mkdir(own, 0o700); err != nil {
		return nil, err
	}
	return &host{job: job, Run: &enginetest.Run{
		Definition: def, Info: &info, RunDir: own, Environ: environ(job.Environ), Results: job.Results,
		Performers: []engine.Performer{&shell.Performer{}, &script.Performer{}, graphfiles.New(), prompts},
	}}, nil
}

// prompts returns the performer of prompts: each agent that the workflow names
// answers as the job's script says.
func prompts(job *Job, def *flow.Definition, transcript *bytes.Buffer) (engine.Performer, error) {
	replies := []byte(job.Replies)
	if len(replies) == 0 {
		replies = []byte("{}")
	}
	log := &lockedBuffer{buffer: transcript}
	sessions := &atomic.Int64{}
	agents := map[string]agent.Agent{}
	for _, name := range append([]string{"claude"}, def.Agents...) {
		a, err := scripted.New(replies, scripted.Options{Transcript: log, Unenforced: slices.Contains(job.BestEffort, name)})
		if err != nil {
			return nil, fmt.Errorf("read the replies: %w", err)
		}
		agents[name] = &talker{sessions: sessions, Agent: a}
	}
	return agent.New(agent.Options{Agents: agents, Default: "claude", CheckReply: structured.Check}), nil
}

// A talker is an agent whose every turn is a new conversation: s1, s2, …
type talker struct {
	agent.Agent
	sessions *atomic.Int64 // how many there are, of all agents
}

func (a *talker) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	session := fmt.Sprintf("s%d", a.sessions.Add(1))
	reply, err := a.Agent.Turn(ctx, r)
	if reply != nil && reply.Meta.Session == "" {
		reply.Meta.Session = session
	}
	return reply, err
}

// A lockedBuffer is written by several agents.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer *bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// mark is a part of the ids of the runs of a job.
func mark(job int) string { return fmt.Sprintf("-job%06d", job) }

// unmark gives the runs of a job the ids that they have without other jobs.
func unmark(out *Outcome, job int) {
	text, err := json.Marshal(out)
	if err == nil {
		plain := Outcome{}
		if err = json.Unmarshal(bytes.ReplaceAll(text, []byte(mark(job)), nil), &plain); err == nil {
			*out = plain
		}
	}
	if err != nil {
		out.Error = err.Error()
	}
}
