package conformance

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Several rules may show in one run of lango: a cancelled run that an agent began
// has steps that are skipped, and one row for each. So what explains a difference
// is asked of each by itself, and a class is of the cases in which all are explained
// and at least one by the rule of the class.

// langoRules say whether a rule explains a difference.
var langoRules = map[string]func(s *langoStory, d difference) bool{
	"agents by configuration": func(s *langoStory, d difference) bool {
		return d.got == "accepted" && strings.Contains(d.want, "has unknown agent")
	},
	"actions of Go templates":     (*langoStory).compiles,
	"references that are checked": func(_ *langoStory, d difference) bool { return refusedBy(d, "unknown-node", "reference-order") },
	"schedules that are checked":  func(_ *langoStory, d difference) bool { return refusedBy(d, "bad-schedule") },
	"targets that are checked":    func(_ *langoStory, d difference) bool { return refusedBy(d, "bad-target") },
	"targets once":                (*langoStory).sendsOnce,
	"later steps are skipped": func(s *langoStory, d difference) bool {
		return strings.HasPrefix(d.what, "step ") && d.want == "pending" && d.got == string(flow.Skipped) && s.want.DB.Run.Status != "completed"
	},
	"cancelled steps": func(s *langoStory, d difference) bool {
		return strings.HasPrefix(d.what, "step ") && d.want == "running" && d.got == string(flow.Cancelled) && s.want.DB.Run.Status == "cancelled"
	},
	"one row a step": func(s *langoStory, d difference) bool {
		return strings.HasPrefix(d.what, "rows of ") && d.want == "2" && d.got == "1"
	},
	"no barrier between layers": (*langoStory).doesNotWait,
	"runs that go on":           (*langoStory).goesOn,
}

// langoClass makes a class of a rule.
func langoClass(rule string) func(*recorded, []difference) bool {
	return func(c *recorded, diffs []difference) bool {
		if c.dialect != "lango" {
			return false
		}
		s, about := newLangoStory(c), false
		for _, d := range diffs {
			explained := false
			for name, explains := range langoRules {
				if explains(s, d) {
					explained = true
					about = about || name == rule
				}
			}
			if !explained {
				return false
			}
		}
		return about
	}
}

// A langoStory is what the rules ask of a case.
type langoStory struct {
	op       string
	in       sessionCase
	want     sessionEnd
	template string
	// needs are the dependencies of steps that compile, and limits their time limits
	// in milliseconds.
	needs  map[string][]string
	limits map[string]float64
}

func newLangoStory(c *recorded) *langoStory {
	s := &langoStory{op: c.Op, needs: map[string][]string{}, limits: map[string]float64{}}
	var in struct{ Template string }
	if c.Op == "render" {
		_ = json.Unmarshal(c.Input, &in)
		s.template = in.Template
		return s
	}
	if c.decode(&s.in, nil) != nil || c.Op == "session" && c.decode(&s.in, &s.want) != nil {
		return s
	}
	if r := compileLango(s.in.YAML); !r.HasErrors() {
		for _, n := range r.Workflow.Workflow.Body.All() {
			s.needs[n.ID] = []string{}
			s.limits[n.ID] = float64(n.Timeout.Milliseconds())
			if s.in.DefaultTimeoutMs > 0 && !n.TimeoutSpan.IsValid() {
				s.limits[n.ID] = s.in.DefaultTimeoutMs
			}
			for _, need := range n.Needs {
				s.needs[n.ID] = append(s.needs[n.ID], need.Node.ID)
			}
		}
	}
	return s
}

// refusedBy reports whether a workflow is refused for nothing but these codes, or
// such as come with prompts.
func refusedBy(d difference, slugs ...string) bool {
	return refusedFor(append(slugs, "template-syntax", "template-arguments")...)(nil, []difference{d}) && slices.ContainsFunc(slugs, func(slug string) bool {
		return strings.Contains(d.got, slug)
	})
}

// bare is a prompt without the references that the engine knows.
func bare(prompt string) string {
	return regexp.MustCompile(`\{\{[A-Za-z0-9_-]+\.result\}\}`).ReplaceAllString(prompt, "")
}

// compiles: the prompt holds braces that are no reference to the engine, which
// leaves them alone, and an action to wfc, which compiles it or says that it is
// none.
func (s *langoStory) compiles(d difference) bool {
	if refusedBy(d, "template-syntax", "template-arguments") {
		return s.op != "render" || strings.Contains(bare(s.template), "{{") || strings.Contains(s.template, "{{{")
	}
	switch s.op {
	case "render":
		return d.what == "prompt" && strings.Contains(bare(s.template), "{{") && !strings.HasPrefix(d.got, "refused: ") && d.got != fails
	case "session":
		step, ok := strings.CutPrefix(d.what, "prompt of ")
		return ok && d.got != "none" && strings.Contains(bare(s.prompt(step)), "{{")
	}
	return false
}

// prompt is the prompt of a step as it is written.
func (s *langoStory) prompt(id string) string {
	r := compileLango(s.in.YAML)
	if r.Workflow == nil {
		return ""
	}
	for _, n := range r.Workflow.Workflow.Body.All() {
		if n.ID == id {
			return n.Action.(*ir.Prompt).Text.Source.Value
		}
	}
	return ""
}

// sendsOnce: a target stands twice in one list, and gets one message.
func (s *langoStory) sendsOnce(d difference) bool {
	switch d.what {
	case "targets":
		var want [][]string
		if json.Unmarshal([]byte(d.want), &want) != nil {
			return false
		}
		for i, list := range want {
			want[i] = once(list)
		}
		return jsonText(want) == d.got
	case "sent":
		var want [][2]string
		return json.Unmarshal([]byte(d.want), &want) == nil && jsonText(once(want)) == d.got
	}
	return false
}

func once[T comparable](list []T) []T {
	out := []T{}
	for _, one := range list {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// state is the recorded state of a step.
func (s *langoStory) state(id string) string {
	for _, step := range s.want.DB.Steps {
		if step.ID == id {
			return step.Status
		}
	}
	return ""
}

// early reports whether a step never began although all that it depends on was
// done, before anything had failed or the run was cancelled: the engine waited for
// the layer of those, and did not go on after it.
func (s *langoStory) early(id string) bool {
	needs := s.needs[id]
	return s.state(id) == "pending" && len(needs) > 0 && s.begins(id) < s.stops() && !slices.ContainsFunc(needs, func(need string) bool {
		return s.state(need) != "completed" && !s.early(need)
	})
}

// begins is when a step begins that waits for no layer, in milliseconds.
func (s *langoStory) begins(id string) (at float64) {
	for _, need := range s.needs[id] {
		at = max(at, s.ends(need))
	}
	return at
}

func (s *langoStory) ends(id string) float64 {
	return s.begins(id) + min(s.in.Agent[id].DelayMs, s.limits[id])
}

// stops is when the first step fails or the run is cancelled.
func (s *langoStory) stops() float64 {
	at := math.Inf(1)
	if s.in.CancelMs != nil {
		at = *s.in.CancelMs
	}
	for _, step := range s.want.DB.Steps {
		if step.Status == string(flow.Failed) {
			at = min(at, s.ends(step.ID))
		}
	}
	return at
}

// doesNotWait: a step begins once what it depends on is done, whatever the rest of
// the layer does, and so may be at work, or done, when something there fails or the
// run is cancelled; and more may go on at once.
func (s *langoStory) doesNotWait(d difference) bool {
	if s.op != "session" {
		return false
	}
	switch kind, id, _ := strings.Cut(d.what, " "); {
	case kind == "step":
		return d.want == "pending" && d.got != string(flow.Pending) && d.got != string(flow.Skipped) && s.early(id)
	case strings.HasPrefix(d.what, "prompt of "):
		return d.want == "none" && s.early(strings.TrimPrefix(d.what, "prompt of "))
	case d.what == "agents at once":
		return slices.ContainsFunc(s.want.DB.Steps, func(step recordedStep) bool { return len(s.needs[step.ID]) > 0 })
	case d.what == "sent":
		return s.sendsMore(d)
	}
	return false
}

// sendsMore: all that differs are outputs of steps that began early.
func (s *langoStory) sendsMore(d difference) bool {
	var want, got [][2]string
	if json.Unmarshal([]byte(d.want), &want) != nil || json.Unmarshal([]byte(d.got), &got) != nil {
		return false
	}
	for _, m := range got {
		step, _, _ := strings.Cut(strings.TrimPrefix(m[1], "["+s.want.DB.Run.Workflow+"/"), "] ")
		if !slices.Contains(want, m) && !s.early(step) {
			return false
		}
	}
	return !slices.ContainsFunc(want, func(m [2]string) bool { return !slices.Contains(got, m) })
}

// goesOn: a run that has not completed is resumed, which the engine does not do.
func (s *langoStory) goesOn(d difference) bool {
	if s.want.Resume == nil || s.want.DB.Run.Status == "completed" {
		return false
	}
	switch d.what {
	case "resumed run":
		return d.want == s.want.DB.Run.Status && (d.got == "completed" || d.got == "failed")
	case "resumed results":
		var want, got map[string]string
		if json.Unmarshal([]byte(d.want), &want) != nil || json.Unmarshal([]byte(d.got), &got) != nil {
			return false
		}
		for id, text := range want {
			if got[id] != text {
				return false
			}
		}
		return true
	}
	return false
}
