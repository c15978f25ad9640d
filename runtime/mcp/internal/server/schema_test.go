package server_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
)

// What is wrong with the arguments of a call is said without the validator's words.
func TestWrongArguments(t *testing.T) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	made := server.NewServer("test", "Test", "", log)
	type in struct {
		RunID string `json:"run_id"`
		Count int    `json:"count,omitempty"`
	}
	server.AddTool(made, log, &sdk.Tool{Name: "look"}, func(context.Context, in) (struct{}, error) { return struct{}{}, nil })
	here, there := sdk.NewInMemoryTransports()
	if _, err := made.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for want, args := range map[string]map[string]any{
		"missing argument `run_id`":                    {},
		"unknown argument `other`":                     {"run_id": "x", "other": 1},
		"`run_id` must be of type string, not integer": {"run_id": 5},
		"`count` must be of type integer, not string":  {"run_id": "x", "count": "many"},
		"`count` must be of type integer, not number":  {"run_id": "x", "count": 1.5},
		"`run_id` must be of type string, not null":    {"run_id": nil},
	} {
		if got := refused(t, client, "look", args); got != want {
			t.Errorf("%v: %q, want %q", args, got, want)
		}
	}
}
