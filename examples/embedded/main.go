// Command embedded is a Go program that runs a workflow: it opens an engine,
// answers the workflow's prompt by a function of its own, and prints the typed
// result.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/wfc-lang/wfc/examples/embedded/notes"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine/local"
)

func main() {
	model := flag.Bool("model", false, "ask the agent of wfc.yaml instead of the function in this program")
	flag.Parse()
	var answers map[string]embedding.AgentFunc
	if !*model {
		answers = map[string]embedding.AgentFunc{"claude": draftNotes}
	}
	if err := runWorkflow(context.Background(), os.Stdout, answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runWorkflow runs the workflow in the current folder and prints the release notes.
func runWorkflow(ctx context.Context, out io.Writer, answers map[string]embedding.AgentFunc) error {
	e, err := notes.Open(ctx, embedding.Options{AgentFuncs: answers})
	if err != nil {
		return err
	}
	result, err := notes.Run(ctx, e, notes.Inputs{})
	err = errors.Join(err, e.Shutdown(ctx))
	if failed, ok := errors.AsType[*local.RunError](err); ok {
		return fmt.Errorf("%w (%s can be resumed)", err, failed.Result.ID)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# %s\n", result.Draft.Title)
	for _, entry := range result.Draft.Entries {
		fmt.Fprintf(out, "- %s\n", entry)
	}
	return nil
}

// draftNotes stands in for a model: it lists every commit except those that users do
// not notice.
func draftNotes(_ context.Context, r *agent.Request) (string, error) {
	_, commits, _ := strings.Cut(r.Text, "\n")
	reply := notes.DraftOutput{Title: "News", Entries: []string{}}
	for commit := range strings.Lines(commits) {
		commit = strings.TrimSpace(commit)
		if commit != "" && !strings.HasPrefix(commit, "chore:") {
			reply.Entries = append(reply.Entries, commit)
		}
	}
	text, err := json.Marshal(reply)
	return string(text), err
}
