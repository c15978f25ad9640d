package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A case of xprompt is a workflow file with files beside it: how it is called,
// what agents answer, what people answer, prompts that it refers to, and what the
// engine made of it.

// xpromptCase is what a case is given.
type xpromptCase struct {
	YAML  string
	Args  []string
	LLM   map[string]json.RawMessage
	HITL  map[string]json.RawMessage
	Files map[string]string
	// Unchecked is what the engine did without the checks that it makes first, and
	// Bash with bash for sh; both are null when that makes no difference.
	Unchecked, Bash json.RawMessage
}

// xpromptEnd is what the engine made of a case.
type xpromptEnd struct {
	LoadError       *string `json:"load_error"`
	ValidationError *string `json:"validation_error"`
	Error           *string
	Success         bool
	Steps           []struct {
		Name, Status, Error string
		Output              json.RawMessage
	}
	Prompts []struct{ Step, Prompt string }
	Reviews []struct{ Step string } `json:"hitl_calls"`
}

// readXprompt adds the cases of a folder of xprompt.
func (all *collection) readXprompt(dir string) error {
	if err := all.read("xprompt", dir); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.case.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		stem := strings.TrimSuffix(file, ".case.json")
		in, err := readXpromptCase(stem)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		expect, err := os.ReadFile(stem + ".spec.expect.json")
		if err != nil {
			return err
		}
		all.cases = append(all.cases, &recorded{
			Group: filepath.Base(filepath.Dir(file)), Name: filepath.Base(stem), Op: "steps", Input: json.RawMessage(jsonText(in)), Expect: expect, dialect: "xprompt",
		})
	}
	return nil
}

func readXpromptCase(stem string) (*xpromptCase, error) {
	var how struct {
		Args                      []string
		LLM, HITL, Xprompts, Home string
	}
	if err := readJSON(stem+".case.json", &how); err != nil {
		return nil, err
	}
	yaml, err := os.ReadFile(stem + ".yml")
	if err != nil {
		return nil, err
	}
	in := &xpromptCase{YAML: string(yaml), Args: how.Args, Files: map[string]string{}}
	dir := filepath.Dir(stem)
	if how.LLM != "" {
		err = readJSON(filepath.Join(dir, how.LLM), &in.LLM)
	}
	if how.HITL != "" && err == nil {
		err = readJSON(filepath.Join(dir, how.HITL), &in.HITL)
	}
	if how.Xprompts != "" && err == nil {
		err = in.readTree(filepath.Join(dir, how.Xprompts), "/project/xprompts")
	}
	if how.Home != "" && err == nil {
		err = in.readTree(filepath.Join(dir, how.Home), "/home")
	}
	if text, miss := os.ReadFile(stem + ".spec_novalidate.expect.json"); miss == nil {
		in.Unchecked = text
	}
	if text, miss := os.ReadFile(stem + ".spec_bash.expect.json"); miss == nil {
		in.Bash = text
	}
	return in, err
}

// readTree reads the files of a folder as those of another.
func (in *xpromptCase) readTree(dir, as string) error {
	return filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		in.Files[path.Join(as, filepath.ToSlash(rel))] = string(text)
		return err
	})
}

func readJSON(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// compileXprompt compiles a file of xprompt.
func compileXprompt(yaml string, files map[string]string) *compiler.Result {
	memory := testkit.Memory{}
	for name, content := range files {
		memory[name] = content
	}
	return compiler.Compile(source.NewFile("w.yml", []byte(yaml)), compiler.Options{
		Path: "/project/w.yml", Dialect: "xprompt", Root: "/project", Home: "/home", Files: memory,
	})
}

func planSteps(b *bench, c *recorded) (plan, error) {
	var in xpromptCase
	var want xpromptEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	p, err := in.plan(b, c, &want)
	text, differs := textInputs(in.YAML)
	if err != nil || p.skip != "" || !differs {
		return p, err
	}
	// The engine's inputs are texts, whatever their types: what is no difference with
	// such inputs comes of the types.
	in.YAML = text
	other, err := in.plan(b, &recorded{}, &want)
	if err != nil {
		return plan{}, err
	}
	return plan{job: p.job, other: &other, judge: func(out *runner.Outcome) []difference {
		diffs, untyped := p.judge(out), other.judge(other.outcome)
		c.typed = map[string]bool{}
		for _, d := range diffs {
			c.typed[d.what] = !slices.ContainsFunc(untyped, func(u difference) bool { return u.what == d.what })
		}
		return diffs
	}}, nil
}

// plan plans the case as it is; c gets what classes ask of its run.
func (in *xpromptCase) plan(b *bench, c *recorded, want *xpromptEnd) (plan, error) {
	r := compileXprompt(in.YAML, in.Files)
	if r.HasErrors() {
		return judged(judgeRefusedSteps(want, refusal(r))), nil
	}
	ends := []*xpromptEnd{want}
	for _, other := range []json.RawMessage{in.Unchecked, in.Bash} {
		var end *xpromptEnd
		if err := json.Unmarshal(other, &end); err != nil {
			return plan{}, err
		}
		if end != nil {
			ends = append(ends, end)
		}
	}
	if why := unfinished(r); why != "" {
		return skipped(why), nil
	}
	inputs, problem := arguments(r.Workflow.Workflow.Inputs, in.Args)
	if problem != "" {
		return judged(judgeRefusedSteps(want, "refused: "+problem)), nil
	}
	job := runner.Job{Inputs: inputs, Replies: in.replies(r.Workflow), Reviews: in.reviews(), BestEffort: []string{"claude"}}
	return b.perform(r, job, func(out *runner.Outcome) []difference {
		c.reasons = map[string]string{}
		for _, record := range out.Steps {
			if record.Failure != nil {
				c.reasons[record.Key] = record.Failure.Reason
			}
		}
		// One of what the engine did is enough: its first checks are wrong about much,
		// and bash with xpg_echo is like either shell in something.
		diffs := judgeSteps(r.Workflow, ends[0], out)
		for _, end := range ends[1:] {
			if other := judgeSteps(r.Workflow, end, out); len(other) < len(diffs) || ends[0].ValidationError != nil {
				diffs = other
			}
		}
		return diffs
	}), nil
}

// judgeRefusedSteps compares a workflow that does not begin with what the engine
// made of it: that is the end of one that fails, wherever it does.
func judgeRefusedSteps(want *xpromptEnd, got string) []difference {
	if !want.Success {
		return nil
	}
	return []difference{{"run", "completed", got}}
}

// replies are what agents answer, by step; those of steps that nobody wrote answers
// for are the engine's stub.
func (in *xpromptCase) replies(p *ir.Program) json.RawMessage {
	named := map[string][]string{}
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		if _, prompt := n.Action.(*ir.Prompt); !prompt {
			return
		}
		named[n.ID] = replyTexts(in.LLM[n.ID])
		if named[n.ID] == nil {
			named[n.ID] = []string{"stub response for " + n.ID}
		}
	})
	return json.RawMessage(jsonText(named))
}

// replyTexts are the texts of a scripted reply: a text, a list of replies, or a
// value that is answered as JSON.
func replyTexts(reply json.RawMessage) []string {
	if len(reply) == 0 {
		return nil
	}
	var text string
	if json.Unmarshal(reply, &text) == nil {
		return []string{text}
	}
	var list []json.RawMessage
	if json.Unmarshal(reply, &list) != nil {
		return []string{string(reply)}
	}
	texts := make([]string, len(list))
	for i, one := range list {
		if json.Unmarshal(one, &texts[i]) != nil {
			texts[i] = string(one)
		}
	}
	return texts
}

// reviews are the answers to reviews, by step; all others are accepted.
func (in *xpromptCase) reviews() map[string][]runner.Step {
	all := map[string][]runner.Step{}
	for step, answer := range in.HITL {
		var list []json.RawMessage
		if json.Unmarshal(answer, &list) != nil {
			list = []json.RawMessage{answer}
		}
		for _, a := range list {
			all[step] = append(all[step], reviewAnswer(a))
		}
		switch all[step][len(all[step])-1].Choice {
		case "feedback", "rerun": // which the engine took for nothing
			all[step] = append(all[step], runner.Step{Choice: "accept"})
		}
	}
	return all
}

func reviewAnswer(answer json.RawMessage) runner.Step {
	var word string
	if json.Unmarshal(answer, &word) == nil {
		return runner.Step{Choice: word}
	}
	var long struct {
		Action   string
		Edited   json.RawMessage `json:"edited_output"`
		Feedback string
	}
	_ = json.Unmarshal(answer, &long)
	if long.Action == "edit" {
		return runner.Step{Choice: long.Action, Text: string(long.Edited)}
	}
	return runner.Step{Choice: long.Action, Text: long.Feedback}
}

// judgeSteps compares what a run came to.
func judgeSteps(p *ir.Program, want *xpromptEnd, out *runner.Outcome) []difference {
	if want.LoadError != nil || want.ValidationError != nil {
		// What the engine refuses to begin may begin here, but must not succeed.
		if out.End.Status == flow.Failed {
			return nil
		}
		return []difference{{"file", "rejected", "run: " + string(out.End.Status)}}
	}
	var diffs []difference
	if completed := out.End.Status == flow.Completed; completed != want.Success {
		diffs = append(diffs, difference{"run", endWord(want.Success), string(out.End.Status)})
	}
	nodes := p.Workflow.Body.All()
	if len(nodes) != len(want.Steps) {
		return append(diffs, difference{"steps", fmt.Sprint(len(want.Steps)), fmt.Sprint(len(nodes))})
	}
	for i, step := range want.Steps {
		r := out.Step(nodes[i].ID)
		status := stepWord(r)
		if step.Status == "in_progress" {
			step.Status = "failed" // the process ended there
		}
		diffs = append(diffs, same("step "+step.Name, step.Status, status)...)
		if step.Status == status && (status == "completed" || status == "skipped" && r.Reason == "given") {
			diffs = append(diffs, sameOutput(step.Name, step.Output, r.Text)...)
		}
	}
	diffs = append(diffs, samePrompts(p, want, out)...)
	return append(diffs, sameReviews(want, out)...)
}

func endWord(success bool) string {
	if success {
		return "completed"
	}
	return "failed"
}

// stepWord is how the engine calls the state of a step. It knows no steps that are
// skipped because an earlier one failed.
func stepWord(r flow.Record) string {
	switch {
	case r.Status == flow.Skipped && r.Reason != "when_condition" && r.Reason != "given":
		return "pending"
	case r.Status == flow.Cancelled:
		return "failed"
	}
	return string(r.Status)
}

// sameOutput compares outputs as JSON: the order of keys does not count, and a
// number is a number.
func sameOutput(step string, want json.RawMessage, got string) []difference {
	var a, b any
	if json.Unmarshal(want, &a) != nil {
		return nil
	}
	if json.Unmarshal([]byte(got), &b) != nil {
		b = got // of text joins
	}
	if alike(a, b) {
		return nil
	}
	return []difference{{"output of " + step, jsonText(a), jsonText(b)}}
}

// alike compares a recorded value with one of wfc.
func alike(want, got any) bool {
	switch w := want.(type) {
	case map[string]any:
		if w["$float"] != nil {
			return true // NaN and infinities, which JSON has not
		}
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k, v := range w {
			if other, ok := g[k]; !ok || !alike(v, other) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(w, g, alike)
	case string:
		if strings.Contains(w, "$CWD") || strings.Contains(w, "$TMP") {
			_, ok := got.(string)
			return ok
		}
	}
	return want == got
}

const (
	// notAsked is in the place of prompts that nobody was asked, and between stands
	// between two.
	notAsked = "none"
	between  = "\n=====\n"
)

// samePrompts compares what agents were asked, step by step.
func samePrompts(p *ir.Program, want *xpromptEnd, out *runner.Outcome) (diffs []difference) {
	a, b := map[string][]string{}, map[string][]string{}
	for _, prompt := range want.Prompts {
		a[prompt.Step] = append(a[prompt.Step], prompt.Prompt)
	}
	for _, turn := range out.Turns {
		step := promptStep(p, turn.Step)
		b[step] = append(b[step], turn.Prompt)
	}
	steps := slices.Collect(maps.Keys(a))
	for step := range b {
		if a[step] == nil {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	text := func(prompts []string) string {
		if len(prompts) == 0 {
			return notAsked
		}
		slices.Sort(prompts) // those of parallel children come in any order
		return strings.Join(prompts, between)
	}
	for _, step := range steps {
		diffs = append(diffs, same("prompts of "+step, text(a[step]), text(b[step]))...)
	}
	return diffs
}

// promptStep is the engine's name of the step whose agent was asked.
func promptStep(p *ir.Program, key string) string {
	name := key
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		_, prompt := n.Action.(*ir.Prompt)
		if prompt && (partOf(key, n.ID) || strings.HasSuffix(key, "/"+n.ID)) {
			name = n.ID
		}
	})
	return name
}

// sameReviews compares how often people were asked about each step.
func sameReviews(want *xpromptEnd, out *runner.Outcome) (diffs []difference) {
	a, b := map[string]int{}, map[string]int{}
	for _, r := range want.Reviews {
		a[r.Step]++
	}
	for _, r := range out.Steps {
		if step, _, review := strings.Cut(r.Key, "/review#"); review {
			b[step]++
		}
	}
	for _, step := range want.Steps {
		diffs = append(diffs, same("reviews of "+step.Name, fmt.Sprint(a[step.Name]), fmt.Sprint(b[step.Name]))...)
	}
	return diffs
}

// arguments makes inputs of what a workflow is called with: named values, and
// others in the order of the inputs. problem says why it cannot be called so.
func arguments(inputs []*ir.Input, args []string) (object json.RawMessage, problem string) {
	values := map[string]json.RawMessage{}
	var free []string
	for _, arg := range args {
		name, text, named := strings.Cut(arg, "=")
		if !named {
			free = append(free, arg)
			continue
		}
		i := slices.IndexFunc(inputs, func(in *ir.Input) bool { return in.Name == name })
		if i < 0 {
			return nil, "unknown argument"
		}
		if values[name], problem = inputJSON(inputs[i], text); problem != "" {
			return nil, problem
		}
	}
	for i, text := range free {
		at := slices.IndexFunc(inputs, func(in *ir.Input) bool { return in.Position == i+1 })
		if at < 0 {
			return nil, "too many arguments"
		}
		if _, named := values[inputs[at].Name]; named {
			continue
		}
		if values[inputs[at].Name], problem = inputJSON(inputs[at], text); problem != "" {
			return nil, problem
		}
	}
	for _, in := range inputs {
		if values[in.Name] == nil && in.Default == nil {
			return nil, "missing argument"
		}
	}
	return json.RawMessage(jsonText(values)), ""
}

// inputJSON is the value of an input as JSON.
func inputJSON(in *ir.Input, text string) (value json.RawMessage, problem string) {
	kind := in.Type.String()
	word := strings.ToLower(strings.TrimSpace(text))
	switch {
	case in.Replaces != "":
		var bag diag.Bag
		doc := yamlsrc.Parse(source.NewFile("argument", []byte(text)), &bag)
		if len(bag.Sorted()) > 0 || doc.Root == nil {
			return nil, "bad argument"
		}
		return json.RawMessage(doc.Root.JSON()), ""
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "float"):
		if !json.Valid([]byte(word)) {
			return nil, "bad argument"
		}
		return json.RawMessage(word), ""
	case strings.HasPrefix(kind, "bool"):
		switch word {
		case "true", "yes", "on", "1":
			return json.RawMessage("true"), ""
		case "false", "no", "off", "0":
			return json.RawMessage("false"), ""
		}
		return nil, "bad argument"
	case strings.HasPrefix(kind, "word") && strings.ContainsAny(text, " \t\n"), strings.HasPrefix(kind, "line") && strings.Contains(text, "\n"):
		return nil, "bad argument"
	}
	return json.RawMessage(jsonText(text)), ""
}

// partOf reports whether a step is a node's own step or a part of it.
func partOf(step, node string) bool {
	rest, ok := strings.CutPrefix(step, node)
	return ok && (rest == "" || strings.IndexByte("#[@/", rest[0]) >= 0)
}
