package acp

import (
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
)

// A program asks for permission in two ways: it asks wfc to read and write files
// and to run commands, which wfc does or refuses, or it asks whether it may use
// one of its own tools. No person is there to answer, so the agent's permission
// decides. wfc does not control what a program does without asking; quirks.go
// makes some programs ask.

// policy is the permission of a program.
type policy int

const (
	// mayRead: read files of the working directory, and search.
	mayRead policy = iota
	// mayEdit: change files of the working directory, too.
	mayEdit
	// mayAll: anything.
	mayAll
)

// permissions are the policies by the names that the catalog has for them.
var permissions = map[string]policy{program.Safe: mayRead, program.Edit: mayEdit, program.All: mayAll}

// sufficientPermission returns the permission that would do for a tool.
func sufficientPermission(kind sdk.ToolKind, inside bool) string {
	switch kind {
	case sdk.ToolKindEdit, sdk.ToolKindDelete, sdk.ToolKindMove:
		if inside {
			return program.Edit
		}
	}
	return program.All
}

// permitsTool reports whether a tool may be used. inside says that all places it
// names are in the working directory, and placed that it names any.
func (p policy) permitsTool(kind sdk.ToolKind, inside, placed bool) bool {
	switch {
	case p == mayAll:
		return true
	case kind == sdk.ToolKindRead, kind == sdk.ToolKindSearch:
		return inside
	case kind == sdk.ToolKindThink:
		return true
	case kind == sdk.ToolKindEdit, kind == sdk.ToolKindDelete, kind == sdk.ToolKindMove:
		return p == mayEdit && inside && placed
	}
	return false
}

// answerPermission answers whether a tool may be used.
func (t *turn) answerPermission(ctx context.Context, params json.RawMessage) (any, *rpcError) {
	var q struct {
		Options []sdk.PermissionOption `json:"options"`
		Tool    update                 `json:"toolCall"`
	}
	if refusal := decodeParams(params, &q); refusal != nil {
		return nil, refusal
	}
	if ctx.Err() != nil {
		return cancelledOutcome(), nil
	}
	used := t.toolOf(&q.Tool)
	if server := t.ownServer(&used); server != "" && t.agent.policy != mayAll {
		if id, ok := pickOption(q.Options, sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways); ok {
			return selectedOutcome(id), nil
		}
	}
	outside := slices.IndexFunc(used.paths, func(path string) bool { return !t.files.isInside(path) })
	if t.agent.policy.permitsTool(used.kind, outside < 0, len(used.paths) > 0) {
		if id, ok := pickOption(q.Options, sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways); ok {
			return selectedOutcome(id), nil
		}
		t.report.passWarning("permitted, but the program offers no option for that: %s", used.displayName())
		return cancelledOutcome(), nil
	}
	what := "use " + used.displayName()
	if outside >= 0 {
		what += " at " + shortenLine(t.maskSecrets(used.paths[outside]), 100) + ", outside of the working directory"
	}
	t.noteDenial(what, sufficientPermission(used.kind, outside < 0 && len(used.paths) > 0))
	t.mu.Lock()
	t.heard.refused = true
	t.mu.Unlock()
	if id, ok := pickOption(q.Options, sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways); ok {
		return selectedOutcome(id), nil
	}
	return cancelledOutcome(), nil
}

// noteDenial notes a denied request, and the permission that would allow it. The end of the
// turn reports all together.
func (t *turn) noteDenial(what, permission string) {
	what = shortenLine(t.maskSecrets(what), 110)
	t.report.passNote("not permitted: %s; to permit it, set `permission: %s` for the agent in wfc.yaml", what, permission)
	t.denials.add(what, permissions[permission])
}

// tellDenials warns of denied actions if the turn continued without them. A turn
// that ended with a denial has failed with it.
func (t *turn) tellDenials() {
	t.mu.Lock()
	failed := t.heard.ended
	t.mu.Unlock()
	if text := t.denials.describe(t.request.Agent); text != "" && !failed {
		t.report.passWarning("it was not permitted to %s", text)
	}
}

// refusedToEnd returns the failure of a turn that ended with a denied request: some
// programs stop there, and report success. If the model has said something after the
// denial, the turn continued.
func (t *turn) refusedToEnd() error {
	t.mu.Lock()
	t.heard.ended = t.heard.refused
	ended := t.heard.ended
	t.mu.Unlock()
	if !ended {
		return nil
	}
	return failures.Fatal("the agent program `%s` ended its turn when it was not permitted to %s", t.name, t.denials.describe(t.request.Agent))
}

// pickOption returns the option of the first kind that there is.
func pickOption(options []sdk.PermissionOption, kinds ...sdk.PermissionOptionKind) (sdk.PermissionOptionId, bool) {
	for _, kind := range kinds {
		for _, o := range options {
			if o.Kind == kind {
				return o.OptionId, true
			}
		}
	}
	return "", false
}

func selectedOutcome(id sdk.PermissionOptionId) sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(id)}
}

func cancelledOutcome() sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
}
