package house

import "testing"

// starters are the functions and types that start programs.
var starters = []string{
	"exec.Command", "exec.CommandContext", "exec.Cmd", "os.StartProcess", "syscall.Exec", "syscall.ForkExec", "syscall.StartProcess", "unix.Exec",
	"process.Run", "process.RunApart", "process.StartObserved", "sdk.CommandTransport",
}

// starts are the files that start programs, and why no step in the sandbox decides what such a program
// does outside of it:
//
//   - sandboxed: it starts by the container of the context, in the sandbox if that is on;
//   - guarded: steps cannot change the program, which package confine guards in the work tree, or
//     which lies in the state folder or the cache; or, of git, not its hooks and settings, and what these name;
//   - person: the environment of who calls wfc names it, and it works on no file that a step
//     makes unasked;
//   - system: it is found by PATH, and gets no file of the work tree as code or settings;
//   - tests: it belongs to `wfc test`, which never uses the sandbox, or to its workflows' copies;
//   - inner: it starts what others of this list have decided about.
//
// PATH is the user's own: a folder of the work tree in it is not covered (docs/security.md).
var starts = map[string]string{
	"cmd/wfc/build/toolchain.go":                 "system: go, on files in the cache",
	"cmd/wfc/cli/complete.go":                    "guarded: the program of a run",
	"cmd/wfc/cli/doctor.go":                      "guarded: a program in the cache",
	"cmd/wfc/cli/exec_unix.go":                   "guarded: the program of a run, or one in the cache",
	"cmd/wfc/cli/exec_windows.go":                "guarded: the program of a run, or one in the cache",
	"cmd/wfc/cli/git.go":                         "system: git, without hooks, monitors, filters and transports",
	"cmd/wfc/cli/graph.go":                       "system: the browser, on an address",
	"cmd/wfc/cli/listen.go":                      "guarded: a program in the cache",
	"cmd/wfc/cli/projectruns.go":                 "guarded: the program of a run, or one in the cache",
	"cmd/wfc/cli/test.go":                        "tests",
	"cmd/wfc/cli/vettool.go":                     "person: go vet, on code that the user gives it",
	"internal/oracle/oracle.go":                  "system: interpreters, which only check a script's syntax",
	"runtime/agent/acp/requests.go":              "sandboxed",
	"runtime/agent/acp/turn.go":                  "sandboxed",
	"runtime/cli/become_unix.go":                 "guarded: the binary that the run keeps",
	"runtime/cli/become_windows.go":              "guarded: the binary that the run keeps",
	"runtime/cli/deskact.go":                     "guarded: the binary that the run keeps, or the program of a run",
	"runtime/cli/servelisten.go":                 "guarded: this program",
	"runtime/cli/serviceresume.go":               "guarded: the binary that the run keeps",
	"runtime/deliver/notice.go":                  "sandboxed, also for notices",
	"runtime/internal/agent/command/command.go":  "sandboxed",
	"runtime/internal/agent/program/program.go":  "sandboxed in a step; guarded where only the program's state is asked",
	"runtime/internal/agent/stream/stream.go":    "sandboxed",
	"runtime/internal/confine/report.go":         "inner: a report observes outside of the sandbox",
	"runtime/internal/git/git.go":                "guarded: git",
	"runtime/internal/human/review.go":           "person: the editor, whose settings are guarded",
	"runtime/internal/process/identity_unix.go":  "system: ps",
	"runtime/internal/process/run.go":            "inner",
	"runtime/internal/process/start.go":          "inner",
	"runtime/internal/process/system_windows.go": "system: taskkill",
	"runtime/internal/process/watch_unix.go":     "system: sh, on a script of its own",
	"runtime/internal/sandbox/notify_linux.go":   "inner: the observer of a report",
	"runtime/internal/sandbox/probe_linux.go":    "inner: true, for a probe",
	"runtime/internal/testrun/folder.go":         "tests",
	"runtime/internal/testsuite/mutants.go":      "tests",
	"runtime/mcp/folder/family.go":               "guarded: a program in the cache",
	"runtime/mcp/folder/wfc.go":                  "guarded: wfc",
	"runtime/script/packages.go":                 "sandboxed",
	"runtime/script/performer.go":                "sandboxed",
	"runtime/shell/performer.go":                 "sandboxed",
}

// TestStarts compares the list with the code. Who starts a program at a new place says why a step in
// the sandbox cannot get out of it there, in the list, by a guard or by the container of a context.
func TestStarts(t *testing.T) {
	compareCalls(t, starters, starts, "sandboxed guarded person system tests inner",
		"starts a program: say in the list why no step in the sandbox decides what it does outside")
}
