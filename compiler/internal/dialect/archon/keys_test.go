package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// The table of all keys of a file: each key with an example and its fate. There are
// four fates. A key is honoured: the program has it. It is passed on: the agent
// gets it as written. It is shown: `info` prints it, and the flow does not use it.
// Or it is warned about. The tests read each claim from the program and the
// findings.

// A keyRow is one example.
type keyRow struct {
	// keys are the keys that the row is about, as TableKeys names them, without
	// the level where the list of rows has one.
	keys string
	// yaml is at the top of the file or in the node `a`.
	yaml string
	fate fate
	want string
}

// A fate is the effect of a key, and how to observe it.
type fate struct {
	name string
	// read returns the value in the program; for warnings it is nil.
	read func(*ir.Workflow) string
}

func honoured(read func(*ir.Workflow) string) fate { return fate{"honoured", read} }

// first is a fate that is seen in the first node.
func first(read func(*ir.Node) any) fate {
	return honoured(func(w *ir.Workflow) string { return fmt.Sprint(read(w.Body.All()[0])) })
}

// action is a fate that is seen in the first node's action.
func action[A ir.Action](read func(A) any) fate {
	return first(func(n *ir.Node) any { return read(n.Action.(A)) })
}

// passed reads an option of the first node's agent.
func passed(name string) fate {
	return fate{"passed on", func(w *ir.Workflow) string {
		return option(w.Body.All()[0].Action.(*ir.Prompt).Agent.Options, name)
	}}
}

// called reads how the first node runs a workflow.
func called() fate {
	return fate{"runs", func(w *ir.Workflow) string {
		call := w.Body.All()[0].Action.(*ir.Call)
		text := call.Callee.Workflow.Name
		for _, a := range call.Args {
			text += " " + a.Name
		}
		if call.Worktree {
			text += " in a worktree"
		}
		if call.Fan != nil {
			text += fmt.Sprintf(" of %d", call.Fan.Max)
			if call.Fan.AllSuccess {
				text += ", all"
			}
		}
		return text
	}}
}

func shown(name string) fate {
	return fate{"shown", func(w *ir.Workflow) string { return option(w.Options, name) }}
}

// warned is the fate of a key without effect; the row's want is the finding.
func warned() fate { return fate{"warned", nil} }

// keyFiles are the files of the project that the rows name.
var keyFiles = testkit.Memory{
	".archon/commands/greet.md":       "---\ndescription: d\n---\nhello\n",
	".archon/scripts/hello.ts":        "console.log('$ARGUMENTS')",
	"servers.json":                    "{\"s\": {\"command\": \"c\"}}\n",
	"kid.yaml":                        "name: kid\ndescription: d\nnodes:\n  - {id: a, bash: echo $INPUTS.item}\n",
	".claude/skills/mending/SKILL.md": "x",
}

func testRow(t *testing.T, row keyRow, yaml string) {
	p, list := lint(t, project(keyFiles), yaml)
	if row.fate.read == nil {
		if got := strings.Join(findings(list), ", "); got != row.want {
			t.Errorf("findings %s, want %s", got, row.want)
		}
		return
	}
	if len(list) > 0 {
		t.Fatalf("findings: %q", findings(list))
	}
	if got := row.fate.read(p.Workflow); got != row.want {
		t.Errorf("got  %s\nwant %s", got, row.want)
	}
}

func TestWorkflowKeys(t *testing.T) {
	for _, row := range workflowRows {
		t.Run(row.fate.name+" "+row.yaml, func(t *testing.T) {
			testRow(t, row, row.yaml+"\n"+nodes("  - id: a\n    prompt: x\n"))
		})
	}
}

func TestNodeKeys(t *testing.T) {
	for _, row := range allNodeRows() {
		t.Run(row.fate.name+" "+row.yaml, func(t *testing.T) {
			testRow(t, row, nodes("  - {id: a, "+row.yaml+"}\n  - {id: z, bash: echo}\n"))
		})
	}
}

// Hooks can answer every event that is known.
func TestHookEvents(t *testing.T) {
	for _, key := range archon.TableKeys() {
		if event, ok := strings.CutPrefix(key, "event."); ok {
			hook := `{"` + event + `":[{"response":{}}]}`
			testRow(t, keyRow{fate: passed("hooks"), want: hook}, nodes("  - {id: a, prompt: x, hooks: "+hook+"}\n"))
		}
	}
}

// Every key that is known has a row.
func TestEveryKeyHasARow(t *testing.T) {
	var have []string
	note := func(level string, rows []keyRow) {
		for _, row := range rows {
			for _, key := range strings.Fields(row.keys) {
				if !strings.Contains(key, ".") {
					key = level + "." + key
				}
				have = append(have, key)
			}
		}
	}
	note("workflow", workflowRows)
	note("node", allNodeRows())
	known := archon.TableKeys()
	for _, key := range known {
		if !slices.Contains(have, key) && !strings.HasPrefix(key, "event.") {
			t.Errorf("no row says what becomes of `%s`", key)
		}
	}
	for _, key := range have {
		if !slices.Contains(known, key) {
			t.Errorf("there is a row for `%s`, which is no key", key)
		}
	}
}

func allNodeRows() []keyRow { return slices.Concat(nodeRows, typeRows, agentRows, nestedRows) }
