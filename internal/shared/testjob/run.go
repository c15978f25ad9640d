package testjob

import "encoding/json"

// A Run is the run of a candidate for a test: the test program writes it, and
// `wfc test --generate` searches among them.
type Run struct {
	// Problems are the failures of the test, such as a missing stand-in.
	Problems []string `json:",omitempty"`
	Status   string
	// Reason, Error and Summary describe the end of the run.
	Reason  string          `json:",omitempty"`
	Error   string          `json:",omitempty"`
	Summary string          `json:",omitempty"`
	Outputs json.RawMessage `json:",omitempty"`
	// Hits are the covered facts. Terms count how often each term of a condition did not
	// hold and held.
	Hits  map[string]int       `json:",omitempty"`
	Terms map[string][2]uint64 `json:",omitempty"`
	// Nodes are the ends of nodes, without those of iterations and parts.
	Nodes []Node `json:",omitempty"`
	// Steps are the actions and questions, in order.
	Steps []Step `json:",omitempty"`
	// Iterations counts the iterations of loops, and the visits of nodes of a state graph.
	Iterations map[string]int             `json:",omitempty"`
	State      map[string]json.RawMessage `json:",omitempty"`
	Messages   []Message                  `json:",omitempty"`
	Warnings   []string                   `json:",omitempty"`
	// Started and Ended are the places of nodes and steps in the order of starts and ends.
	Started, Ended map[string]int `json:",omitempty"`
	Turns          int            `json:",omitempty"`
}

// A Node is the end of a node.
type Node struct {
	Key, Kind, Status string
	Reason            string `json:",omitempty"`
	Text              string `json:",omitempty"`
	Error             string `json:",omitempty"`
	Attempts          int    `json:",omitempty"`
}

// A Step is an action or a question.
type Step struct {
	// Step is the address of the step, Name the address without iterations, and Node the
	// key of its node.
	Step, Name, Node string
	// Kind is the kind of the action, or question.
	Kind    string
	Attempt int      `json:",omitempty"`
	Prompts []string `json:",omitempty"`
	// Program is the text of a script, and Values are the values that it gets.
	Program string `json:",omitempty"`
	Values  string `json:",omitempty"`
	Test    bool   `json:",omitempty"`
	// Message, Choices and Wait are those of a question, and Choice is the answer.
	Message string   `json:",omitempty"`
	Choices []string `json:",omitempty"`
	Wait    string   `json:",omitempty"`
	Choice  string   `json:",omitempty"`
}

// A Message is a delivery.
type Message struct {
	Targets []string `json:"targets"`
	Text    string   `json:"text"`
}

// Find returns the end of a node.
func (r *Run) Find(key string) (Node, bool) {
	for _, n := range r.Nodes {
		if n.Key == key {
			return n, true
		}
	}
	return Node{}, false
}

// Valid reports whether the candidate can be a test.
func (r *Run) Valid() bool { return len(r.Problems) == 0 && r.Status != "" }
