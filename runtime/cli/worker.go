package cli

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

func (a *app) workerCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Perform the steps of runs on the cluster",
		Long: "Perform the steps of runs on the cluster until you stop the command. Any number of\n" +
			"workers may run, on any machines; each performs the runs that its own build started.\n\n" +
			"On SIGTERM or an interrupt, the worker starts no more steps and waits --grace for the\n" +
			"steps that run. The cluster treats those that have not ended then as interrupted.\n\n" + clusterHelp,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkValues(&a.program); err != nil {
				return err
			}
			return a.backend.performSteps(cmd.Context(), f)
		},
	}
	f.addSettings(a.call, cmd, "do not check agents first")
	a.backend.extendCommand(cmd)
	return cmd
}

func (b *clusterBackend) performSteps(ctx context.Context, f runFlags) error {
	w := &b.worker
	if err := b.readConcurrency(); err != nil {
		return err
	}
	with, prompts, err := b.setupFor(f)
	if err != nil {
		return err
	}
	if err := b.checkAgents(ctx, f, prompts, b.program.askedAgents()); err != nil {
		return err
	}
	s, err := b.openSession(ctx)
	if err != nil {
		return err
	}
	defer s.store.Close()
	if b.adopts {
		process.AdoptOrphans(true)
	}
	if w.WorkDir, err = os.Getwd(); err != nil {
		return failedError(err)
	}
	w.Performers, w.State, w.Environ, w.Secrets = with.performers, s.folder, b.processEnviron(), b.secretNames()
	w.Sandbox, w.Scripts, w.Log = with.sandbox, b.program.Defaults.PassEnv.Scripts, slog.New(slog.NewTextHandler(b.streams.Err, nil))
	w.Ready = func() { fmt.Fprintf(b.streams.Err, "%s: ready for steps of %s\n", b.name, b.program.Definition.Name) }
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return failedError(clusterOf(s).Work(ctx, *w))
}

// workerKinds are the kinds of steps that a worker can limit, and their actions.
var workerKinds = map[string]string{
	"agent": flow.Prompt{}.Kind(), "bash": flow.Bash{}.Kind(), "script": flow.Script{}.Kind(), "deliver": flow.Delivery{}.Kind(),
}

// readConcurrency reads --concurrency, such as 8, agent=2 or 8,agent=2,bash=4, and checks the
// tags.
func (b *clusterBackend) readConcurrency() error {
	w, text := &b.worker, b.concurrency
	w.Limits = map[string]int{}
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		name, number, byKind := strings.Cut(strings.TrimSpace(part), "=")
		if !byKind {
			name, number = "", name
		}
		n, err := strconv.Atoi(number)
		kind, known := workerKinds[name]
		switch {
		case err != nil || n < 1:
			return usageError("`--concurrency %s`: give a number above 0, or numbers by kind such as agent=2,bash=8", text)
		case !byKind:
			w.MaxActions, w.Limits[""] = n, n
		case !known:
			return usageError("`--concurrency %s`: %s", text, plain.UnknownName("kind of step", name, slices.Sorted(maps.Keys(workerKinds))))
		default:
			w.Limits[kind] = n
		}
	}
	needed := tagsOf(flow.Reachable(b.program.Definition))
	for _, tag := range w.Tags {
		if !slices.Contains(needed, tag) {
			fmt.Fprintf(b.streams.Err, "%s: warning: no node of %s needs the tag `%s`\n", b.name, b.program.Definition.Name, tag)
		}
	}
	return nil
}

// tagsOf returns the tags that nodes of workflows need, in order.
func tagsOf(defs []*flow.Definition) []string {
	var tags []string
	for _, d := range defs {
		for _, n := range d.Nodes {
			tags = append(tags, n.WorkerTags...)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
