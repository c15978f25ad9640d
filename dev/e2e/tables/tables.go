// Package tables replays state graphs: it is linked with compiled workflows into
// one program, which takes runs as JSON on standard input, each with all that
// agents, scripts and people do in it, performs them in the simulated world, and
// prints what came of them.
package tables

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// A Job is one run.
type Job struct {
	// Workflow is the name of the workflow in the program's table.
	Workflow string
	Inputs   map[string]any
	// Limit replaces the workflow's limit of iterations, if it is not 0.
	Limit int `json:",omitempty"`
	// Acts are what actions come to, by their keys.
	Acts map[string]Act
	// Answers are what people say, by the keys of questions.
	Answers map[string]Answer
	// Crashes says that the run is also made with a process that dies at every
	// point, which must make no difference.
	Crashes bool `json:",omitempty"`
}

// An Act is what an action comes to.
type Act struct {
	Text string
	Exit int `json:",omitempty"`
	// Late says that it takes too long, Fails that it fails for good.
	Late  bool `json:",omitempty"`
	Fails bool `json:",omitempty"`
}

// An Answer is a person's answer to a question.
type Answer struct{ Choice, Text string }

// A Report is what came of a run.
type Report struct {
	Status flow.Status
	Reason string
	Error  string
	// Trace are the nodes that ended, each as "node label".
	Trace []string
	// Executed are the nodes that had ended when the run's state was last saved.
	Executed []string
	// Faults are promises that were broken, and actions that the job does not know.
	Faults []string
}

// Main is the program.
func Main(workflows map[string]*flow.Definition) {
	var jobs []Job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fmt.Fprintln(os.Stderr, "read the jobs:", err)
		os.Exit(2)
	}
	reports := make([]Report, len(jobs))
	for i, job := range jobs {
		reports[i] = run(workflows[job.Workflow], job)
	}
	if err := json.NewEncoder(os.Stdout).Encode(reports); err != nil {
		fmt.Fprintln(os.Stderr, "print the reports:", err)
		os.Exit(1)
	}
}

func run(def *flow.Definition, job Job) (r Report) {
	inputs, err := json.Marshal(job.Inputs)
	if err != nil {
		return Report{Faults: []string{err.Error()}}
	}
	world := sim.World{Definition: def, Inputs: inputs, Attended: true, Graph: &flow.GraphOptions{}}
	if job.Limit > 0 {
		limits := def.Graph.Limits
		limits.Iterations = job.Limit
		world.Graph.Limits = &limits
	}
	for key, a := range job.Answers {
		world.Answers = append(world.Answers, sim.Answer{Key: key, After: time.Second, Result: flow.Result{
			Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: a.Choice, By: "ann"},
		}})
	}
	traces := map[string][]string{}
	var saved []string
	unknown := map[string]bool{}
	world.Perform = func(a sim.Attempt) sim.Performance {
		if a.Payload.Kind() == "graph_state" {
			s := savedState(a.Payload)
			r.Executed = s.Executed
			if _, again := traces[a.Key]; !again {
				saved = append(saved, a.Key)
				traces[a.Key] = nil
				for _, e := range s.Ended {
					traces[a.Key] = append(traces[a.Key], e.Node+" "+e.Label)
				}
			}
			return sim.Performance{Result: flow.Result{Status: flow.Completed}}
		}
		act, known := job.Acts[a.Key]
		if !known {
			unknown[a.Key] = true
		}
		return sim.Performance{Result: act.result()}
	}
	o := sim.Run(world, 1)
	r.Status, r.Reason, r.Error, r.Faults = o.End.Status, o.End.Reason, o.End.Error, o.Faults
	for _, key := range saved {
		r.Trace = append(r.Trace, traces[key]...)
	}
	for key := range unknown {
		r.Faults = append(r.Faults, "nobody expected "+key)
	}
	if job.Crashes {
		executed := r.Executed
		if _, err := sim.Explore(world, 1, 1, nil); err != nil {
			r.Faults = append(r.Faults, err.Error())
		}
		r.Executed = executed
	}
	return r
}

func (a Act) result() flow.Result {
	failed := func(reason, message string, exit int) flow.Result {
		return flow.Result{Status: flow.Failed, Text: a.Text, Failure: &flow.Failure{Reason: reason, ExitCode: exit, Message: message}}
	}
	switch {
	case a.Fails:
		return failed("agent", "it fails", -1)
	case a.Late:
		return failed("timeout", "it takes too long", -1)
	case a.Exit != 0:
		return failed("exit", fmt.Sprintf("exit code %d", a.Exit), a.Exit)
	}
	return flow.Result{Status: flow.Completed, Text: a.Text}
}

// position is what the tables need of a saved position.
type position struct {
	Executed []string
	Ended    []struct{ Node, Label string }
}

func savedState(p flow.Payload) (s position) {
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		panic(err) // the payload is one of the runtime's
	}
	return s
}
