package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/gen/build"
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
		"wfc": func() { os.Exit(Main(os.Args[1:], Streams{os.Stdin, os.Stdout, os.Stderr})) },
	})
}

// buildsOffline lets scripts build with the modules and the compiled packages
// of this machine.
func buildsOffline(env *testscript.Env) error {
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
