package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "claude" {
		fakeagent.Main(m)
	}
	if os.Getenv("WFC_TEST_AS_WFC") != "" {
		os.Exit(Main(os.Args[1:], Streams{os.Stdin, os.Stdout, os.Stderr}))
	}
	testscript.Main(m, map[string]func(){
		"wfc":     func() { os.Exit(Main(os.Args[1:], Streams{os.Stdin, os.Stdout, os.Stderr})) },
		"service": serviceMain,
	})
}

// buildsOffline lets scripts build with the modules and the compiled packages
// of this machine, and gives each its own projects with runs: what one script leaves in its
// project waits in no other.
func buildsOffline(env *testscript.Env) error {
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".tmp", "xdg"))
	cache, err := build.DefaultCache()
	if err != nil {
		return err
	}
	env.Setenv("WFC_CACHE", cache)
	if modules, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		env.Setenv("GOMODCACHE", strings.TrimSpace(string(modules)))
	}
	env.Setenv("GOPROXY", "off")
	return nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup:               buildsOffline,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":   codeCommand,
			"runid":  runIDCommand,
			"forget": forgetCommand,
			"expand": expandCommand,
		},
	})
}

// codeCommand is the script command `code N ARGS…`: it runs wfc in this
// process's binary and fails unless it exits with N.
func codeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("wfc", args[1:]...)
	got := 0
	if err != nil {
		text := err.Error()
		i := strings.LastIndex(text, "exit status ")
		if i < 0 {
			ts.Fatalf("run wfc: %v", err)
		}
		got, err = strconv.Atoi(text[i+len("exit status "):])
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("wfc %s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func TestInternalFault(t *testing.T) {
	var out, err bytes.Buffer
	code := Main([]string{"check", "-"}, Streams{In: panicReader{}, Out: &out, Err: &err})
	if code != ExitInternal || !strings.Contains(err.String(), "internal error: the reader fell over") {
		t.Errorf("exit code %d, %s", code, err.String())
	}
}

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("the reader fell over") }
