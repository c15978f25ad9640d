package suite

import "encoding/json"

// A Runner runs candidates on the simulated engine and returns their runs in order. A
// candidate is a test file with one test, as JSON.
type Runner func(candidates []string) ([]*Probe, error)

// A Probe is the run of a candidate, as the test program writes it: testrun.Probe has the
// meaning of each field.
type Probe struct {
	Problems               []string
	Status                 string
	Reason, Error, Summary string
	Outputs                json.RawMessage
	Hits                   map[string]int
	Terms                  map[string][2]uint64
	Nodes                  []ProbedNode
	Steps                  []ProbedStep
	Iterations             map[string]int
	State                  map[string]json.RawMessage
	Messages               []ProbedMessage
	Warnings               []string
	Started, Ended         map[string]int
	Turns                  int
}

// A ProbedNode is the end of a node.
type ProbedNode struct {
	Key, Kind, Status, Reason, Text, Error string
	Attempts                               int
}

// A ProbedStep is an action or a question of a run.
type ProbedStep struct {
	Step, Name, Node, Kind string
	Attempt                int
	Prompts                []string
	Values                 string
	Program                string
	Test                   bool
	Message                string
	Choices                []string
	Wait, Choice           string
}

// A ProbedMessage is a delivery.
type ProbedMessage struct {
	Targets []string `json:"targets"`
	Text    string   `json:"text"`
}

// kindQuestion is the kind of a step that asks a person.
const kindQuestion = "question"

// node returns the end of a node.
func (p *Probe) node(key string) (ProbedNode, bool) {
	for _, n := range p.Nodes {
		if n.Key == key {
			return n, true
		}
	}
	return ProbedNode{}, false
}

// valid reports whether the candidate can be a test.
func (p *Probe) valid() bool { return len(p.Problems) == 0 && p.Status != "" }
