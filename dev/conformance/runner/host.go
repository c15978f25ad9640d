package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A host is the world of one run: real performers, a journal in memory, a clock
// that nobody waits for, and the people of the job, who answer.
type host struct {
	*enginetest.Run
	// world works on the run, if not the test engine.
	world World
	job   *Job
	// reviewed counts the answers to reviews.
	reviewed int
	// said are the answers for the next process of a world.
	said []store.Answer
}

// A World works on runs in place of the test engine: on another engine, in its memory. It is
// an alias, so that packages which make worlds need not import this one.
type World = interface {
	// Process works on the run until it ends or pauses, after the answers, and keeps its
	// steps in the run.
	Process(answers ...store.Answer) (flow.RunState, error)
	// Answer answers a question of the run, or of one that a step began, by its id. It works
	// on until the run ends or pauses, and keeps the runs that steps began in Run.Children.
	Answer(run string, a store.Answer) (flow.RunState, error)
	// Cancel cancels the run while it is worked on.
	Cancel(by string)
	// End returns how a run that a step began ended, or is at the last pause.
	End(run string) flow.RunState
	// Limit sets how many actions are performed at once.
	Limit(actions int)
	// Events are the events of the run.
	Events() []flow.Event
	// Close gives the world up.
	Close()
}

// process works on the run until it ends or pauses.
func (h *host) process() (flow.RunState, error) {
	if h.world == nil {
		return h.Continue()
	}
	said := h.said
	h.said = nil
	return h.world.Process(said...)
}

// say answers a question before the next process.
func (h *host) say(key string, s Step) {
	if h.world == nil {
		h.Answer(key, s.result())
		return
	}
	h.said = append(h.said, store.Answer{Key: key, Choice: s.Choice, Text: s.Text, By: "somebody"})
}

// answer gives the answer of a step to the first question that is open.
func (h *host) answer(step Step) error {
	if step.Choice == "" {
		return nil
	}
	for _, r := range h.Steps {
		if r.Status == flow.Waiting && r.Question != nil {
			h.say(r.Key, step)
			return nil
		}
	}
	return errors.New("there is an answer, but no question is open")
}

func (s Step) result() flow.Result {
	return flow.Result{Status: flow.Completed, Text: s.Text, Meta: flow.Meta{Choice: s.Choice, By: "somebody"}}
}

// mostReviews bounds the answers: an answer that is not taken is asked for again.
const mostReviews = 100

// review answers a review that is open as the job says, and reports whether there
// was one.
func (h *host) review() bool {
	if h.job.Reviews == nil || h.reviewed == mostReviews {
		return false
	}
	for _, r := range h.Steps {
		if r.Status != flow.Waiting || r.Question == nil || !r.Question.IsReview() {
			continue
		}
		h.reviewed++
		step, _, _ := strings.Cut(r.Key, "/review#")
		answer := Step{Choice: "accept"}
		if list := h.job.Reviews[step]; len(list) > 0 {
			answer = list[0]
			if len(list) > 1 {
				h.job.Reviews[step] = list[1:]
			}
		}
		h.say(r.Key, answer)
		return true
	}
	return false
}

// write writes the job's files into the folder that the run works in.
func (h *host) write() error {
	for name, content := range h.job.Files {
		if !filepath.IsLocal(name) {
			return errors.New("the file " + name + " is outside the folder")
		}
		path := filepath.Join(h.Info.WorkDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// environ returns this process's environment with a job's own variables.
func environ(own []string) []string {
	path := os.Getenv("PATH")
	if bun := os.Getenv("WFC_TEST_BUN"); bun != "" {
		path = filepath.Dir(bun) + string(filepath.ListSeparator) + path
	}
	return slices.Concat(os.Environ(), []string{"PATH=" + path}, own)
}

// A State is the content of the state file of a state graph's run.
type State struct {
	Node     string            `json:"current_node"`
	Status   string            `json:"status"`
	Reason   string            `json:"exit_reason"`
	Executed []string          `json:"nodes_executed"`
	Outputs  map[string]string `json:"outputs"`
}

// goOn has the run of a state graph begin as the job says.
func (h *host) goOn(dir string) error {
	o := &flow.GraphOptions{Folder: "w"}
	h.Info.Graph = o
	if h.job.Iterations != nil {
		limits := h.Definition.Graph.Limits
		limits.Iterations = *h.job.Iterations
		o.Limits = &limits
	}
	if len(h.job.Saved) == 0 {
		return nil
	}
	path := filepath.Join(dir, "state.json")
	if err := os.WriteFile(path, h.job.Saved, 0o600); err != nil {
		return err
	}
	saved, err := graphfiles.Continue(path, h.Definition)
	if err == nil {
		o.Promise, o.From = saved.Promise, saved.From
	}
	return err
}

// state reads the state file that the run has left, if there is one.
func (h *host) state() (*State, error) {
	text, err := os.ReadFile(filepath.Join(h.Info.WorkDir, ".graph-loop", h.Info.Graph.Folder, "state.json"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	s := &State{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err != nil {
		return nil, fmt.Errorf("the state file: %w", err)
	}
	return s, nil
}
