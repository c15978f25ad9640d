package graphfiles

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/flow/graph"
)

// A snapshot is the content of a file in history: which node ended, and the state
// behind it.
type snapshot struct {
	Iteration int    `json:"_snapshot_iteration"`
	At        string `json:"_snapshot_at"`
	Node      string `json:"_node_completed"`
	Output    string `json:"_output"`
	// Checkpoint says that the workflow has the state kept there.
	Checkpoint bool      `json:"_checkpoint,omitempty"`
	State      *document `json:"state"`
}

// snapshots writes one snapshot for each node that ended, with the number of
// nodes that had ended then. What ends together, a parallel and its branches, has
// one state.
func snapshots(dir string, s *graph.State, d *document) error {
	if len(s.Ended) == 0 {
		return nil
	}
	history := filepath.Join(dir, historyDir)
	if err := os.MkdirAll(history, 0o755); err != nil {
		return err
	}
	for _, e := range s.Ended {
		path := filepath.Join(history, fmt.Sprintf("iteration-%03d.json", e.Iteration))
		if err := writeJSON(path, snapshot{e.Iteration, stamp(s.At), e.Node, e.Label, s.Checkpoint, d}, s.Checkpoint); err != nil {
			return err
		}
	}
	return nil
}
