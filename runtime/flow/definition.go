package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Definition is a compiled workflow. Generated packages export it as Workflow. Apart
// from Flow it is data.
type Definition struct {
	Name        string
	Description string
	// Source is the workflow file's name, without its folder.
	Source string
	// Fingerprint identifies what the workflow does. Engines keep it with each run, and refuse to
	// resume a run with a definition that has another one, unless the caller moves the run
	// (local.Options.Force). Then completed nodes, all of which the new definition must have with
	// the same kind, keep their results, and the others run as the new flow says.
	//
	// In generated code it is the SHA-256, in hexadecimal, of the workflow's canonical form with
	// all embedded files and constants, without comments, positions and the compiler's version.
	// A flow written by hand has any string, such as "1": change it with the nodes, their order,
	// their keys, their prompts and scripts, but not for other code. Without such care, use the
	// revision of the program, the setting vcs.revision of debug.ReadBuildInfo: then every commit
	// makes another one.
	Fingerprint string
	Inputs      []InputInfo
	// Constants are the names of the inputs whose values the build has fixed: runs cannot set
	// them.
	Constants []string
	// Nodes are the nodes in definition order. If there are any, the flow spawns no others.
	// Without them, status lists nodes in the order in which they start, and no node's output is
	// the summary of the run.
	Nodes []NodeInfo
	// Agents are the names of the agents of the prompts.
	Agents []string
	// Models are the agents and models of the prompts, each pair once, or nil if no prompt
	// names a model.
	Models []ModelUse
	// Uses says what runs use of the place where they work.
	Uses Uses
	// ExclusiveCheckout means that at most one run at a time may work on a checkout.
	ExclusiveCheckout bool
	// PromptsOnly means that only agents could change files: the workflow runs no script and
	// starts no other workflow, and its prompts have no options by which an agent could do
	// more than its settings permit. Then ExclusiveCheckout has no effect if the settings
	// permit none of its Agents to change files.
	PromptsOnly bool
	// Returns is the key of the node whose output is the result of the workflow; "" means
	// the first node with an output among those on which no other node depends.
	Returns string
	// OutcomeField is the name of the field, in the output of the node that Returns names, that
	// holds the author's verdict about a run, a bool. "" means that the workflow has no
	// verdict.
	OutcomeField string
	// RequiresEvidence means that a run completes only if it has left the file evidence.json
	// in its folder for artifacts; see RequireEvidence.
	RequiresEvidence bool
	// Deprecated says why not to use the workflow, or is "".
	Deprecated string
	// Worktree says whether runs work in separate git worktrees.
	Worktree WorktreeRule
	// Tags and Labels are for people only: the command info of the program prints them.
	// (NodeInfo.WorkerTags and NodeInfo.Labels are something else.)
	Tags   []string
	Labels []Option
	// Schedule is the cron expression of the workflow's schedule, or "". The compiler has
	// checked it.
	Schedule string
	// Concurrency is the maximum number of actions of a run that are performed at the same
	// time, unless the settings of the engine have a maximum; 0 leaves it to the engine.
	Concurrency int
	// DeliverTo are the targets for the workflow's result.
	DeliverTo []string
	// Children are the workflows that this one runs, each once.
	Children []*Definition
	// Graph describes a state graph; it is nil for other workflows.
	Graph *GraphInfo
	// Flow is the workflow's code. It returns the outputs, which encode to JSON (to an
	// object, in generated code), and the end of the flow: nil completes the run, an error
	// that is ErrCancelled cancels it for the reason that the error's text gives, and any
	// other one fails it. An error of Outcome or of a state graph ends the run in a way
	// that only the engines of this module know: the run may complete with it, or stop at
	// a limit.
	Flow func(c *Context) (any, error) `json:"-"`
}

// CleansUp reports whether the workflow has nodes that run at the end of every run.
func (d *Definition) CleansUp() bool {
	return slices.ContainsFunc(d.Nodes, func(n NodeInfo) bool { return n.Finally })
}

// Uses says what runs of a workflow use of the place where they work: engines prepare it, and
// a command can tell from it which places fit.
type Uses struct {
	// BaseBranch means that runs read the base branch: the git branch that changes are based on.
	BaseBranch bool
	// SharedDir means that runs use RunInfo.SharedDir, and ArtifactList that they read
	// RunInfo.ArtifactList.
	SharedDir, ArtifactList bool
	// NoFiles means that no node uses the folders of the run.
	NoFiles bool
	// SessionAt is the key of the first node that continues a session of its agent, or "".
	SessionAt string
}

// A ModelUse is an agent and the model that a prompt asks it for; "" is the agent's default.
type ModelUse struct{ Agent, Model string }

// A WorktreeRule says whether every run of a workflow works in a separate git worktree.
// The zero rule leaves the choice to the caller who starts a run.
type WorktreeRule int

const (
	// WorktreeAlways: every run has its own worktree.
	WorktreeAlways WorktreeRule = iota + 1
	// WorktreeNever: runs work in the directory in which they start.
	WorktreeNever
)

// An InputInfo describes one input.
type InputInfo struct {
	// Name is the input's name: the key in the JSON object of inputs and the
	// command line flag.
	Name string
	// Type is text, int, float, bool, or json for any value; or a string without spaces (word),
	// without newlines (line), or of a file that exists (path); or list, with items of the type
	// Items. "" is a string on command lines, and any JSON value from programs.
	Type, Items string
	// Choices are the only values of the input, or of the items of a list; nil allows all.
	Choices []string
	Doc     string
	// Default is the JSON value if none is given. "" makes the input required, and null
	// makes it optional without a value: a nil pointer in the Inputs struct.
	Default string
	// Rest means that the positional arguments of the command line, joined by spaces, are
	// its value.
	Rest bool
	// Position is the index of the input among the positional arguments, from 1 on; 0 is
	// none. A list takes all arguments from there on.
	Position int
	// Replaces is a node that a value of the input makes unnecessary: the node does not
	// run, and the value, as JSON, is its output. "" means none.
	Replaces string
}

// A NodeInfo describes one node: graph and info show it, and status lists nodes in this order.
type NodeInfo struct {
	Key string
	// Line is the line of the workflow file where the node is defined. File is the name of
	// that file if it is another one than Definition.Source, else "".
	Line int
	File string
	// Include is the key of the node of kind "include" whose included workflow contains the
	// node, or "".
	Include string
	Kind    string
	// Workflow is the name of the workflow that the node includes or runs, or "". If the
	// node runs the workflow, Definition.Children contains it.
	Workflow string
	// After are the keys of the dependencies; Order those that only order nodes.
	After, Order []string
	// Rule is the trigger rule's name, or "" for all_success.
	Rule string
	// When is the condition as the workflow writes it, or "".
	When string
	// Agent is the agent of a prompt.
	Agent string
	// DeliverTo are the targets for the node's output.
	DeliverTo []string
	// WorkerTags restrict the node to Temporal workers that were started with these tags, in
	// order; other engines ignore them.
	WorkerTags []string
	// ArtifactType is the type of the artifact that the node's output is kept as, a name that
	// the workflow chooses, or ""; see RunInfo.ArtifactList.
	ArtifactType string
	// Reviewed means that a person reviews the output, or each iteration of a loop.
	Reviewed bool
	// Finally means that the node runs at the end of every run; see Node.Finally.
	Finally bool
	// Loop is the variables or the condition of an xprompt loop, as the workflow writes
	// them; "" for other nodes.
	Loop string
	// Inside are the nodes inside this one: those that a loop repeats, the branches of a
	// fork, the nodes of an include that run for each item. Their keys are the names that
	// they have inside this node. If a loop repeats a single node, that has the loop's key.
	Inside []NodeInfo
	// Labels are the possible outputs of a node of a state graph, in order.
	Labels []string
	// Branches are the keys of the nodes that a node of kind "parallel" runs; WaitsFor are
	// those for which a node of kind "join" waits. Other kinds have neither.
	Branches, WaitsFor []string
}

// A GraphInfo describes a state graph.
type GraphInfo struct {
	// Version is the version of the format of the workflow file.
	Version string
	// Edges are the edges in the order in which they are tried, those of START first.
	Edges []EdgeInfo
	// Limits are the workflow's limits; the caller of a run may replace them.
	Limits GraphLimits
	// State are the variables, in order.
	State []VariableInfo
	// Text is the content of the workflow file. A run keeps a copy beside its saved state.
	Text string
}

// A VariableInfo describes a variable of a state graph.
type VariableInfo struct {
	Name string
	// Type is text, int, float, bool, json for any value, or list followed by the type of
	// the elements: `list text`.
	Type string
	// Optional means that the variable may have no value.
	Optional bool
}

// An EdgeInfo describes an edge of a state graph.
type EdgeInfo struct {
	// From is "" for the start, To is "" for the end.
	From, To string
	// When is the condition as the workflow writes it, or "".
	When string
}

// GraphLimits bound the run of a state graph. A run that reaches one ends with status
// LimitReached, and can be resumed with other limits. Zero means no limit.
type GraphLimits struct {
	// Iterations is the maximum number of executions of nodes; each visit of a node counts.
	Iterations int `json:"max_iterations,omitempty"`
	// Time is the duration of the run, including the time of people. In JSON it is in
	// nanoseconds, although workflow files write minutes.
	Time time.Duration `json:"max_time,omitempty"`
	// CostUSD is the cost of agents.
	CostUSD float64 `json:"max_cost_dollars,omitempty"`
	// Parallel is the number of branches at once.
	Parallel int `json:"max_parallel_branches,omitempty"`
}

// TypedFlow returns the Flow of a Definition for a function with typed inputs and outputs: run
// gets the run's inputs as a struct. The field of an input that is absent or null gets
// the input's default, if there is one.
func TypedFlow[In, Out any](inputs []InputInfo, run func(*Context, In) (Out, error)) func(*Context) (any, error) {
	return func(c *Context) (any, error) {
		var in In
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		if err := c.setDefaults(inputs, &in); err != nil {
			return nil, err
		}
		return run(c, in)
	}
}

// setDefaults sets the fields of inputs that the run does not give.
func (c *Context) setDefaults(inputs []InputInfo, in any) error {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(c.scheduler.Run().Inputs, &given) // Inputs reports their faults
	values := map[string]json.RawMessage{}
	for _, i := range inputs {
		if v := given[i.Name]; len(i.Default) > 0 && (len(v) == 0 || bytes.Equal(v, []byte("null"))) {
			values[i.Name] = json.RawMessage(i.Default)
		}
	}
	if len(values) == 0 {
		return nil
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, in)
}

// Replacement returns the InputInfo of the input that replaces the output of a node; see
// InputInfo.Replaces. Its name is the node's key, and its InputInfo.Position the given one.
func Replacement(node string, position int) InputInfo {
	return InputInfo{
		Name: node, Type: "text", Position: position, Replaces: node, Default: "null",
		Doc: "the output of step `" + node + "`, given so that it does not run",
	}
}

// RequireInput returns *v, the value of an optional input without a default. If v is nil,
// the error is a *Failure of reason "reference"; ref is the reference in the workflow, for
// its message.
func RequireInput[T any](v *T, ref string) (T, error) {
	if v == nil {
		var zero T
		return zero, &Failure{Reason: "reference", Message: fmt.Sprintf("`%s` cannot be read: the run has no value for this input", ref)}
	}
	return *v, nil
}

// TextOf returns r.Text and err. It adapts Context.Do to Node.Run:
//
//	return flow.TextOf(c.Do(p))
func TextOf(r Result, err error) (string, error) { return r.Text, err }

// WithBackground returns a prompt followed by background, which the run's caller supplies.
// It returns the prompt alone if background is "".
func WithBackground(prompt, background string) string {
	if background == "" {
		return prompt
	}
	return prompt + "\n\n---\n\n" + background
}
