package artifact

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// CheckEvidence performs a kernel.Evidence for an engine: it completes if the run has left the
// file, with any content.
func CheckEvidence(run *flow.RunInfo) flow.Result {
	path := filepath.Join(run.ArtifactsDir, "evidence.json")
	if _, err := os.Stat(path); err != nil {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
			Reason: "evidence", Class: flow.ClassFatal,
			Message: fmt.Sprintf("the workflow needs evidence, but the run has not left the file %s: write it in a node, or write it now and resume the run", path),
		}}
	}
	return flow.Result{Status: flow.Completed, Text: path}
}
