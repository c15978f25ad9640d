package temporal_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
)

// The status of a run names its branch, or its worktree and the worker that has it, which is
// another machine.
func TestStatusShowsPlace(t *testing.T) {
	const id = "demo-000001"
	tree := &worktree.Tree{Path: "/far/tree", Branch: "mine", Base: "c0ffee", Repository: "/far/code"}
	for name, test := range map[string]struct {
		place *wire.Place
		base  string
		text  string // "" is none
		want  *document.Worktree
	}{
		"none": {&wire.Place{Worker: "far-1"}, "", "", nil},
		"git": {
			&wire.Place{Git: &wire.Checkout{Repository: "https://ann@example.org/code.git"}}, "c0ffee",
			"  branch:   wfc/demo-000001 of https://example.org/code.git\n",
			&document.Worktree{Branch: "wfc/" + id, Base: "c0ffee", Repository: "https://example.org/code.git"},
		},
		"worktree": {
			&wire.Place{Worker: "far-1", Worktree: tree}, "",
			"  worktree: /far/tree of worker far-1, on branch mine\n  remove:   " + tree.Removal() + "\n",
			&document.Worktree{Path: tree.Path, Branch: tree.Branch, Base: tree.Base, Repository: tree.Repository, Worker: "far-1", Remove: tree.Removal()},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, nil)
			s := at(flow.Running, flow.Running)
			s.Run.ID, s.Run.Workflow, s.Run.Fingerprint, s.Place, s.Options.Base = id, "demo", "f1", test.place, test.base
			f.workflows[id] = &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now()), state: payloads(t, s)}
			code, out, errs := call(t, f, program(), "status", id)
			if shown := strings.Contains(out, "worktree:") || strings.Contains(out, "branch:"); code != 0 || !strings.Contains(out, test.text) || shown != (test.text != "") {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
			_, out, errs = call(t, f, program(), "status", id, "--json")
			var got struct{ Worktree *document.Worktree }
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v\n%s%s", err, out, errs)
			}
			if (got.Worktree == nil) != (test.want == nil) || got.Worktree != nil && *got.Worktree != *test.want {
				t.Errorf("%+v, want %+v", got.Worktree, test.want)
			}
		})
	}
}
