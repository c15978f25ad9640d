package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
)

// A State is what the state file of a state graph's run says.
type State struct {
	Node     string            `json:"current_node"`
	Status   string            `json:"status"`
	Reason   string            `json:"exit_reason"`
	Executed []string          `json:"nodes_executed"`
	Outputs  map[string]string `json:"outputs"`
}

// goOn has the run of a state graph begin as the job says.
func (h *host) goOn(dir string) error {
	o := &flow.GraphOptions{Task: "w"}
	h.info.Graph = o
	if h.job.Iterations != nil {
		limits := h.def.Graph.Limits
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
	task, err := (&graphfiles.Performer{}).Load(path, h.def, false)
	if err != nil {
		return err
	}
	o.Promise = task.Promise
	o.From, err = json.Marshal(task.State)
	return err
}

// state reads the state file that the run has left, if there is one.
func (h *host) state() (*State, error) {
	text, err := os.ReadFile(filepath.Join(h.info.WorkDir, ".graph-loop", h.info.Graph.Task, "state.json"))
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
