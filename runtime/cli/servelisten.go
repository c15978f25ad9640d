package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
)

// The command listen with its runs is a process of its own, so that the pages stay what they are:
// without the agents and performers of workflows. It stands by while another process runs the
// triggers.

// A triggerProcess is the command listen that a server of pages keeps running.
type triggerProcess struct {
	*runDesk
	// socket is where it receives webhooks.
	socket string
}

// startTriggers keeps listen running until ctx ends; wait then waits for its runs, and removes the
// socket. stop is called if listen refuses to start.
func (d *runDesk) startTriggers(ctx context.Context, stop func(error)) (socket string, wait func(), err error) {
	dir, err := os.MkdirTemp("", "wfc-serve-")
	if err != nil {
		return "", nil, err
	}
	t := &triggerProcess{d, filepath.Join(dir, "hooks")}
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := t.keepRunning(ctx); err != nil {
			stop(err)
		}
	}()
	return t.socket, func() {
		<-over
		_ = os.RemoveAll(dir) // it's in a folder for such files
	}, nil
}

// The shortest and the longest pause before listen starts again.
const (
	shortestPause = time.Second
	longestPause  = time.Minute
)

// keepRunning starts listen until ctx ends, again if it has failed.
func (t *triggerProcess) keepRunning(ctx context.Context) error {
	for pause, first := shortestPause, true; ; pause, first = min(2*pause, longestPause), false {
		begun := time.Now()
		err := t.runOnce(ctx)
		exit, exited := errors.AsType[*exec.ExitError](err)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !exited:
			return err
		case time.Since(begun) > longestPause:
			pause = shortestPause
		case first && exited && (exit.ExitCode() == runerr.ExitUsage || exit.ExitCode() == runerr.ExitFailed):
			return errors.New("`--listen`: the triggers cannot run, for the reason above")
		}
		fmt.Fprintf(t.streams.Err, "%s: the process of the triggers has ended; the next one starts in %s\n", t.name, pause)
		_ = repeat.Sleep(ctx, pause)
	}
}

// runOnce runs listen until it ends. It stops it at the end of ctx.
func (t *triggerProcess) runOnce(ctx context.Context) error {
	program, args := t.wfcProgram, []string{"listen"}
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		folder, err := t.stateFolder()
		if err != nil {
			return err
		}
		program, args = self, append(args, "--state="+folder.Path)
	}
	cmd := exec.CommandContext(ctx, program, append(args, "--standby", "--stdin", "--address=unix:"+t.socket)...)
	cmd.Env = append(os.Environ(), state.CallerVariable+"=")
	cmd.Stdout, cmd.Stderr = plain.Raw(t.streams.Out), plain.Raw(t.streams.Err)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Cancel = func() error { return cmp.Or(stdin.Close(), os.ErrProcessDone) } // then it waits for its runs, and ends
	return cmd.Run()
}
