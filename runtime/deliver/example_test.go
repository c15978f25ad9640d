package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A webhook gets the result of a workflow as JSON. Its address is in a variable,
// because it may be secret.
func ExampleNew() {
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var message struct{ Workflow, Text string }
		if json.NewDecoder(r.Body).Decode(&message) == nil {
			fmt.Printf("%s says %q\n", message.Workflow, message.Text)
		}
	}))
	defer hook.Close()
	p := deliver.New(settings.Channel{Name: "ops", Kind: "webhook", URLVariable: "OPS_HOOK"})
	r := p.Perform(context.Background(), &engine.Attempt{
		Info:   &flow.RunInfo{ID: "nightly-abc123"},
		Action: flow.Action{Key: "deliver", Payload: flow.Delivery{Workflow: "nightly", Text: "All is well.", Targets: []string{"ops"}}},
		Number: 1, Environ: []string{"OPS_HOOK=" + hook.URL}, Log: slog.New(slog.DiscardHandler),
	})
	fmt.Println(r.Status, r.Text)
	// Output:
	// nightly says "All is well."
	// completed ops
}
