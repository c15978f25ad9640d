package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
)

// The server's end leaves its runs this long. It is more than a process has to
// end when it is asked to.
const closeTimeout = 15 * time.Second

func (a *app) mcpCommand() *cobra.Command {
	var f runFlags
	def := a.program.Definition
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the workflow to an agent (Model Context Protocol)",
		Long: `Serve the workflow to a client of the Model Context Protocol, over standard input
and output. The client can run the workflow, and show, cancel and resume runs. It
cannot answer a run's questions, because an agent must not pass its own gates. The
status of the run shows the command with which a person answers.

When its client leaves, or on SIGINT, SIGTERM or SIGHUP, the server cancels its runs
as an interrupt does to ` + "`run`" + `, and ends; you can resume them. A second signal
ends the server at once.`,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, ok := a.program.MCP.(serving.Server)
			if !ok {
				return usageError("this program was built without an MCP server; `wfc build --mcp %s` builds one with it", plain.ShellWord(def.Source))
			}
			if err := f.checkValues(&a.program); err != nil {
				return err
			}
			if f.Record != "" {
				return usageError("`--record` is for `run`: a recording is of one run, and a server has many")
			}
			return a.serveClients(cmd.Context(), f, server)
		},
	}
	f.addSettings(a.call, cmd, "do not check agents before each run")
	return cmd
}

// serveClients serves until the client leaves or a signal comes.
func (a *app) serveClients(ctx context.Context, f runFlags, server serving.Server) error {
	f.quiet, f.noAsk = true, true
	s, err := a.newService(ctx, f)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var first atomic.Pointer[os.Signal]
	// A client that is gone must not end the server before its runs have ended.
	_, end := onSignals(func(sig os.Signal) {
		if first.CompareAndSwap(nil, &sig) {
			stop()
			return
		}
		s.Abandon()
		os.Exit(codeOf(sig))
	})
	defer end()
	err = server.Serve(ctx, s, a.streams.In, plain.Raw(a.streams.Out))
	why, code := "the end of its MCP session", runerr.ExitCompleted
	if sig := first.Load(); sig != nil {
		why, code = "signal "+signalName(*sig), codeOf(*sig)
	}
	closing, stopClosing := context.WithTimeout(context.Background(), closeTimeout)
	defer stopClosing()
	s.Close(closing, why)
	switch {
	case code != runerr.ExitCompleted:
		return &exitError{code: code}
	case err != nil && !errors.Is(err, context.Canceled):
		return failedError(fmt.Errorf("serve the workflow: %w", err))
	}
	return nil
}
