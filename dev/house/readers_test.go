package house

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fileReaders are the functions that read files or list folders.
var fileReaders = []string{
	"os.Open", "os.OpenRoot", "os.ReadFile", "os.ReadDir", "os.DirFS", "filepath.Glob", "filepath.WalkDir",
	"wholefile.Source.Read", "wholefile.Source.Given", "wholefile.Output.Read", "wholefile.Output.Given", "wholefile.Head",
}

// readsLater are the files that read what a step in the sandbox may have written before, and why the
// step decides nothing by it that it could not do inside:
//
//   - guarded: steps cannot change it; see grants.Guarded and package confine;
//   - apart: it is not in the work tree, which is all that steps can change, or it is in the run's own
//     folders, which nothing but the run reads;
//   - workflow: it belongs to a workflow, which a person runs again, and whose steps the guarded settings
//     contain; docs/security.md says so under "not covered";
//   - value: it becomes no code and no setting;
//   - checked: no command that reads it starts a program;
//   - person: who calls wfc names the file at that moment;
//   - tests: it belongs to `wfc test`, which never uses the sandbox;
//   - inner: it reads what others of this list have decided about.
var readsLater = map[string]string{
	"cmd/wfc/build/cache.go":                              "apart: the cache",
	"cmd/wfc/build/install.go":                            "apart: the cache",
	"cmd/wfc/build/toolchain/proxy.go":                    "apart: the cache",
	"cmd/wfc/build/toolchain/toolchain.go":                "apart: the cache",
	"cmd/wfc/build/toolchain/verify.go":                   "apart: the cache",
	"cmd/wfc/cli/check.go":                                "checked: known findings",
	"cmd/wfc/cli/complete.go":                             "value: names to complete",
	"cmd/wfc/cli/diff.go":                                 "checked: files of commits",
	"cmd/wfc/cli/fixtures.go":                             "tests",
	"cmd/wfc/cli/gotool.go":                               "apart: the Go toolchain",
	"cmd/wfc/cli/groups.go":                               "value: names of files, for help",
	"cmd/wfc/cli/input.go":                                "workflow: and guarded settings of Archon",
	"cmd/wfc/cli/projectruns.go":                          "apart: the state folder",
	"cmd/wfc/cli/schema.go":                               "value: a schema to compare with",
	"cmd/wfc/cli/target.go":                               "value: whether a file is a program",
	"cmd/wfc/cli/testcover.go":                            "tests",
	"cmd/wfc/cli/testfiles.go":                            "tests",
	"cmd/wfc/cli/testgenerate.go":                         "tests",
	"cmd/wfc/cli/testmutate.go":                           "tests",
	"cmd/wfc/cli/testrecording.go":                        "tests",
	"cmd/wfc/gitignore/gitignore.go":                      "value: which files are searched",
	"cmd/wfc/pack/project.go":                             "workflow: files of packs, and the guarded wfc.lock",
	"cmd/wfc/search/search.go":                            "workflow",
	"cmd/wfc/starter/plan.go":                             "value: names of files",
	"cmd/wfc/starter/write.go":                            "value: a text to add lines to",
	"compiler/config/archon.go":                           "guarded",
	"compiler/config/config.go":                           "guarded",
	"compiler/config/outer.go":                            "guarded",
	"gen/internal/callees/callees.go":                     "checked: code of the user, which is not built",
	"gen/vet/workflow.go":                                 "checked: code of the user, which is not built",
	"gen/write.go":                                        "value: a text to compare with",
	"internal/bundle/bundle.go":                           "apart: the cache",
	"internal/bundle/seed.go":                             "apart: the cache",
	"internal/shared/state/definition.go":                 "apart: the state folder",
	"internal/shared/state/folders.go":                    "apart: the state folder",
	"internal/shared/state/origin.go":                     "apart: the state folder",
	"internal/shared/tuning/processors.go":                "apart: the system",
	"internal/shared/wholefile/read.go":                   "inner",
	"internal/shared/wholefile/write.go":                  "inner",
	"internal/workspace/files.go":                         "workflow",
	"internal/workspace/gomodule.go":                      "value: the name of a module",
	"runtime/agent/acp/files.go":                          "value: refused in the sandbox",
	"runtime/agent/claude/claude.go":                      "apart: the home folder",
	"runtime/agent/claude/cost.go":                        "apart: the home folder",
	"runtime/agent/codex/turn.go":                         "apart: the home folder",
	"runtime/agent/prompts/prompts.go":                    "person: a file of replies",
	"runtime/cli/answer.go":                               "person: an edited output",
	"runtime/cli/deskact.go":                              "apart: temporary files",
	"runtime/cli/deskrun.go":                              "value: logs and artifacts",
	"runtime/cli/dry.go":                                  "person: inputs",
	"runtime/cli/gates.go":                                "person: the token of gates",
	"runtime/cli/import.go":                               "person: exported runs",
	"runtime/cli/inputs.go":                               "person: inputs",
	"runtime/cli/logs.go":                                 "apart: the state folder",
	"runtime/cli/replies.go":                              "person: a file of replies",
	"runtime/engine/local/pin.go":                         "apart: this program, as it was opened",
	"runtime/engine/temporal/internal/claim/store.go":     "apart: the folder of the cluster's values",
	"runtime/engine/temporal/internal/perform/hold.go":    "apart: the state folder",
	"runtime/engine/temporal/internal/perform/perform.go": "apart: the state folder",
	"runtime/engine/temporal/internal/remote/client.go":   "person: a certificate",
	"runtime/engine/temporal/internal/remote/log.go":      "apart: the state folder",
	"runtime/engine/temporal/internal/remote/prune.go":    "apart: the state folder",
	"runtime/graphfiles/folder.go":                        "value: the memory, and a text to compare with",
	"runtime/graphfiles/load.go":                          "person: the state to continue from",
	"runtime/graphfiles/memory.go":                        "value: the memory",
	"runtime/graphfiles/read.go":                          "person: the state to continue from",
	"runtime/internal/access/file.go":                     "person: who may use the pages; the file is its owner's alone",
	"runtime/internal/actions/token.go":                   "apart: the state folder",
	"runtime/internal/agent/api/attach.go":                "value: files for a prompt",
	"runtime/internal/agent/api/conversation.go":          "apart: the state folder",
	"runtime/internal/agent/ledger/ledger.go":             "apart: the state folder",
	"runtime/internal/agent/ledger/turns.go":              "apart: the state folder",
	"runtime/internal/agent/recording/recording.go":       "person: a recording",
	"runtime/internal/artifact/artifact.go":               "value: whether artifacts are there",
	"internal/shared/state/builds.go":                     "apart: the state folder",
	"runtime/internal/checkout/checkout.go":               "value: sums of files",
	"runtime/internal/confine/gitsettings.go":             "guarded: settings of git",
	"runtime/internal/confine/guards.go":                  "guarded",
	"runtime/internal/confine/inner.go":                   "value: the index of git",
	"runtime/internal/confine/outside.go":                 "guarded",
	"runtime/internal/confine/planted.go":                 "value: what is moved away",
	"runtime/internal/confine/tree.go":                    "guarded: where git has its folder",
	"runtime/internal/filelock/filelock.go":               "value: who holds a lock",
	"runtime/internal/human/review.go":                    "apart: the run's folder",
	"runtime/internal/input/input.go":                     "person: an output to replace a step's",
	"runtime/internal/places/machine.go":                  "apart: the state folder",
	"runtime/internal/process/identity_linux.go":          "apart: the system",
	"runtime/internal/process/lineage.go":                 "apart: the state folder",
	"runtime/internal/process/lineage_linux.go":           "apart: the system",
	"runtime/internal/process/run.go":                     "apart: the system",
	"runtime/internal/process/start.go":                   "value: whether a file is a script",
	"runtime/internal/process/survivor.go":                "apart: the state folder",
	"runtime/internal/runfile/read.go":                    "person: exported runs",
	"runtime/internal/runfile/write.go":                   "value: files to export",
	"runtime/internal/sandbox/guards.go":                  "value: names of guarded files",
	"runtime/internal/sandbox/look_linux.go":              "apart: the system",
	"runtime/internal/sandbox/masks_linux.go":             "apart: the state folder",
	"runtime/internal/sandbox/probe_linux.go":             "apart: the system",
	"runtime/internal/tape/file.go":                       "person: a recording",
	"runtime/internal/testrun/compare.go":                 "tests",
	"runtime/internal/testrun/folder.go":                  "tests",
	"runtime/internal/testrun/program.go":                 "tests",
	"runtime/internal/testsuite/golden.go":                "tests",
	"runtime/internal/testsuite/mutants.go":               "tests",
	"runtime/internal/testsuite/suite.go":                 "tests",
	"runtime/internal/watch/files.go":                     "value: which files have changed",
	"runtime/mcp/folder/folder.go":                        "apart: the cache",
	"runtime/otel/otel.go":                                "apart: the state folder",
	"runtime/script/files.go":                             "value: a text to compare with the script that the build embedded",
	"runtime/shell/values.go":                             "apart: the folder of the step's outputs",
	"runtime/wfctest/run.go":                              "tests",
}

// TestReaders compares the list with the code, as TestStarts does: who reads files at a new place says
// there what a step can decide by them.
func TestReaders(t *testing.T) {
	compareCalls(t, fileReaders, readsLater, "guarded apart workflow value checked person tests inner",
		"reads files: say in the list what a step in the sandbox, which may have written them, decides outside by that")
}

// compareCalls compares a list of the files that call some functions or make some types, and the side that
// each takes, with the code.
func compareCalls(t *testing.T, names []string, list map[string]string, sides, wanted string) {
	t.Helper()
	found := map[string]bool{}
	inspectProducts(t, func(files *token.FileSet, n ast.Node) {
		var named ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			named = n.Fun
		case *ast.CompositeLit:
			named = n.Type
		}
		if !slices.Contains(names, dottedName(named)) {
			return
		}
		at := files.Position(n.Pos())
		rel, _ := filepath.Rel(root, at.Filename)
		rel = filepath.ToSlash(rel)
		found[rel] = true
		if list[rel] == "" {
			t.Errorf("%s %s", at, wanted)
		}
	})
	for name, why := range list {
		if !found[name] {
			t.Errorf("%s is in the list, but needs no entry", name)
		}
		if !slices.Contains(strings.Fields(sides), strings.TrimRight(strings.Fields(why)[0], ":,")) {
			t.Errorf("%s: %s", name, why)
		}
	}
}

// dottedName returns an expression of names with points between them, or "".
func dottedName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if of := dottedName(e.X); of != "" {
			return of + "." + e.Sel.Name
		}
	}
	return ""
}
