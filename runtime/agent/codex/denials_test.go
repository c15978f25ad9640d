package codex_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// The tools of the workflow's own servers need no approval, unless the workflow
// says otherwise; of a refusal people are told.
func TestToolsOfServersNeedNoApproval(t *testing.T) {
	for _, permission := range []string{"safe", "edit", "all"} {
		c := converse(t, fakeagent.Program(t, "codex", answers))
		c.choice.Permission = permission
		c.request.Options = []flow.Option{{Name: "mcp", Value: `{"stamper":{"command":"c"},"web":{"url":"http://127.0.0.1:1"}}`}}
		if _, err := c.ask(); err != nil || strings.Contains(c.notes+c.warnings, "requires approval") || c.warnings != "" {
			t.Errorf("%s: %v, notes %q, warned of %q", permission, err, c.notes, c.warnings)
		}
	}
	c := converse(t, fakeagent.Program(t, "codex", answers))
	c.request.Options = []flow.Option{{Name: "mcp", Value: `{"stamper":{"command":"c","default_tools_approval_mode":"prompt"}}`}}
	want := "it was not allowed to use stamp of the MCP server stamper. Set `permission: edit` or `permission: all`"
	if _, err := c.ask(); err != nil || !strings.Contains(c.warnings, want) {
		t.Errorf("%v, warned of %q", err, c.warnings)
	}
}

// A patch that the sandbox does not let pass is told once, although there is no
// event of it.
func TestRejectedPatches(t *testing.T) {
	b := answers
	b.Denied = "writing is blocked by read-only sandbox"
	c := converse(t, fakeagent.Program(t, "codex", b))
	want := "it was not allowed to change files by a patch (writing is blocked by read-only sandbox). Set `permission: edit` or `permission: all` of agent `codex` in wfc.yaml\n"
	if _, err := c.ask(); err != nil || c.warnings != want {
		t.Errorf("%v, warned of %q, want %q", err, c.warnings, want)
	}
	c = converse(t, script(t, `printf '%s' 'ERROR x: error=patch rejected: writing is blocked by read-only sandbox; rejec' >&2
echo 'ted by user approval settings' >&2
printf '%s' 'ERROR x: error=patch rejected: writing is blocked by read-only sandbox; rejected' >&2
cat <<'END'
`+begin+`
{"type":"turn.completed","usage":{}}
END`))
	if _, err := c.ask(); err != nil || c.warnings != want {
		t.Errorf("%v, warned of %q, want %q", err, c.warnings, want)
	}
}

// A command that was stopped in its middle counts as completed.
func TestCommandsThatWereStopped(t *testing.T) {
	c := converse(t, prints(t, "0", begin,
		`{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"echo x >q; ls","status":"completed","aggregated_output":"bash: line 1: q: Read-only file system\na.go\n"}}`,
		`{"type":"item.completed","item":{"id":"2","type":"command_execution","command":"cat log","status":"completed","aggregated_output":"On the words Read-only file system, and Permission denied\n"}}`,
		`{"type":"turn.completed","usage":{}}`))
	if _, err := c.ask(); err != nil || c.warnings != "it was not allowed to run echo x >q; ls. Set `permission: edit` or `permission: all` of agent `codex` in wfc.yaml\n" {
		t.Errorf("%v, warned of %q", err, c.warnings)
	}
}

// An error that comes as the service's JSON is told in its words.
func TestErrorsInJSON(t *testing.T) {
	text, err := json.Marshal(`{"error": {"message": "bad thing happened", "type": "invalid_request_error", "param": null, "code": "invalid_request_error"}}`)
	if err != nil {
		t.Fatal(err)
	}
	c := converse(t, prints(t, "1", begin, `{"type":"error","message":`+string(text)+`}`, `{"type":"turn.failed","error":{"message":`+string(text)+`}}`))
	_, err = c.ask()
	wantFailure(t, err, flow.ClassFatal, "agent", "agent `codex`: bad thing happened (invalid_request_error)")
	if strings.Contains(err.Error()+c.notes, "{") {
		t.Errorf("%v, notes %q", err, c.notes)
	}
}
