//go:build unix

package agentlab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/dev/agentlab/install"
	"github.com/wfc-lang/wfc/dev/agentlab/stamp"
)

// The variables that the tests read.
const (
	// enabled has the tests run.
	enabled = "WFC_AGENTS"
	// role has the test binary be another program: wfc, or the MCP server.
	role = "WFC_LAB_ROLE"
	// sandboxed is the mode of the sandbox in which the agents run; none by default.
	sandboxed = "WFC_AGENTS_SANDBOX"
	// isolated says that the process is in the network namespace of the tests.
	isolated = "WFC_LAB_ISOLATED"
)

var update = flag.Bool("update", false, "write the table to docs/guide/agents-verified.md")

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "wfc":
		os.Unsetenv(role) // wfc starts its own programs
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	case "stamp":
		if err := stamp.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if os.Getenv(enabled) == "" || os.Getenv(isolated) != "" {
		if err := loopback(); err != nil {
			fmt.Println("agentlab:", err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	switch err := prepare(); {
	case errors.Is(err, install.ErrUnavailable):
		fmt.Printf("agentlab: skipped: %v\n", err)
		os.Exit(0)
	case err != nil:
		fmt.Println("agentlab:", err)
		os.Exit(1)
	}
	if code, err := isolate(); err == nil {
		os.Exit(code)
	} else {
		fmt.Printf("agentlab: the programs are not isolated from the network (%v); proxies refuse what uses them\n", err)
	}
	os.Exit(m.Run())
}

// prepare performs the steps that need the network: it installs the programs and
// compiles the code that all workflows share.
func prepare() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cache, err := install.Cache()
	if err != nil {
		return err
	}
	pins, err := install.Pins()
	if err != nil {
		return err
	}
	for _, p := range pins {
		if err := p.Ensure(ctx, cache, func(format string, args ...any) { fmt.Printf("agentlab: "+format+"\n", args...) }); err != nil {
			return err
		}
	}
	if code := cli.Main([]string{"build", "--prefetch"}, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}); code != cli.ExitClean {
		return fmt.Errorf("wfc build --prefetch ended with %d", code)
	}
	return nil
}
