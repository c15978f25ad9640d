package prompts_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The agent reviewer uses the agent model, whose replies come from a file.
func ExampleOpener() {
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	replies := filepath.Join(folder, "replies.json")
	if err := os.WriteFile(replies, []byte(`{"review": ["Looks good."]}`), 0o600); err != nil {
		panic(err)
	}

	prompts, err := prompts.Opener(nil)(engine.Agents{List: settings.Agents{
		{Name: "model", Kind: settings.KindScripted, Program: replies},
		{Name: "reviewer", Use: "model"},
	}})
	if err != nil {
		panic(err)
	}
	r := prompts.Perform(context.Background(), &engine.Attempt{
		Info:   &flow.RunInfo{ID: "release-k3x9qz", WorkDir: folder},
		Action: flow.Action{Key: "review", Payload: flow.Prompt{Agent: "reviewer", Text: "Review the change."}},
		Number: 1, RunDir: folder, Log: slog.New(slog.DiscardHandler),
	})
	fmt.Println(r.Status, r.Text)
	// Output: completed Looks good.
}
