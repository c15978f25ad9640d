package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

// clusterBackend is the engine of programs whose runs workers of a cluster perform. Flags say
// where the cluster is; secrets come from the environment.
type clusterBackend struct {
	*call
	opener cluster.Opener
	// at is the connection that flags describe.
	at cluster.Connection
	// placing, detach, off, worker and concurrency are flags of single commands.
	placing     placeFlags
	detach, off bool
	worker      cluster.Worker
	concurrency string
	// start says where a new run works, once place has found that out.
	start cluster.Start
}

// placeFlags say where a run's actions are performed.
type placeFlags struct {
	workspace, deadWorker, repository string
}

// Variables of programs that are built for a cluster. Those of Temporal's own tools mean the
// same here.
const (
	addressVariable   = "TEMPORAL_ADDRESS"
	namespaceVariable = "TEMPORAL_NAMESPACE"
	apiKeyVariable    = "TEMPORAL_API_KEY"
	blobsVariable     = "WFC_TEMPORAL_BLOBS"
	keysVariable      = "WFC_TEMPORAL_KEYS"
)

// clusterHelp describes the variables that are not the defaults of flags.
const clusterHelp = "Secrets come from the environment: " + apiKeyVariable + " is an API key of the cluster, and\n" +
	keysVariable + " has the keys that encrypt values, separated by commas."

func (b *clusterBackend) addConnectionFlags(flags *pflag.FlagSet) {
	flags.StringVar(&b.at.Address, "temporal", "", "`ADDRESS` of the Temporal cluster, host:port (default: "+addressVariable+" or localhost:7233)")
	flags.StringVar(&b.at.Namespace, "namespace", "", "Temporal `NAMESPACE` (default: "+namespaceVariable+" or default)")
	flags.StringVar(&b.at.Queue, "task-queue", "", "task queue `NAME` of the runs (default: the workflow's name)")
	flags.BoolVar(&b.at.TLS, "tls", false, "encrypt the connection (default with "+apiKeyVariable+")")
	flags.StringVar(&b.at.CA, "tls-ca", "", "`FILE` with the certificates of trusted authorities")
	flags.StringVar(&b.at.Cert, "tls-cert", "", "`FILE` with the client certificate")
	flags.StringVar(&b.at.Key, "tls-key", "", "`FILE` with the key of the client certificate")
	flags.StringVar(&b.at.ServerName, "tls-server-name", "", "`NAME` that the server's certificate must have")
	flags.StringVar(&b.at.Blobs, "blobs", "", "shared `PLACE` of values over 16 KiB: a folder, or a postgres:// URL (default: "+blobsVariable+")")
}

func (f *placeFlags) addToFlagSet(flags *pflag.FlagSet) {
	flags.StringVar(&f.workspace, "workspace", "", "where steps find files: host, git or none (default: host, or none if no step uses files)")
	flags.StringVar(&f.deadWorker, "dead-worker", "fail", "reaction to a lost worker: fail, or move to another one")
	flags.StringVar(&f.repository, "repository", "", "`URL` of the repository of --workspace git (default: the remote origin)")
}

func (b *clusterBackend) connectionHint() string {
	hint := ""
	if b.at.TLS {
		hint = " --tls"
	}
	return hint + hintOf("temporal", b.at.Address) + hintOf("namespace", b.at.Namespace) + hintOf("task-queue", b.at.Queue) + hintOf("blobs", b.at.Blobs) +
		hintOf("tls-ca", b.at.CA) + hintOf("tls-cert", b.at.Cert) + hintOf("tls-key", b.at.Key) + hintOf("tls-server-name", b.at.ServerName)
}

func (*clusterBackend) ownVariables() (all, secret []string) {
	return []string{apiKeyVariable, keysVariable, blobsVariable}, []string{apiKeyVariable, keysVariable} // the place of blobs is a path, or a URL with its own secret
}

func (*clusterBackend) keepsRunsInFolder() bool { return false }

// connection is the connection that flags and variables describe.
func (b *clusterBackend) connection() cluster.Connection {
	at := b.at
	at.Definition, at.APIKey, at.Keys = b.program.Definition, os.Getenv(apiKeyVariable), os.Getenv(keysVariable)
	at.Address = cmp.Or(at.Address, os.Getenv(addressVariable), "localhost:7233")
	at.Namespace = cmp.Or(at.Namespace, os.Getenv(namespaceVariable), "default")
	at.Blobs = cmp.Or(at.Blobs, os.Getenv(blobsVariable))
	at.TLS = at.TLS || os.Getenv("TEMPORAL_TLS") == "true"
	at.CA = cmp.Or(at.CA, os.Getenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH"))
	at.Cert = cmp.Or(at.Cert, os.Getenv("TEMPORAL_TLS_CLIENT_CERT_PATH"))
	at.Key = cmp.Or(at.Key, os.Getenv("TEMPORAL_TLS_CLIENT_KEY_PATH"))
	at.ServerName = cmp.Or(at.ServerName, os.Getenv("TEMPORAL_TLS_SERVER_NAME"))
	return at
}

func (b *clusterBackend) connectStore(ctx context.Context, _ state.Folder) (store.Store, error) {
	at := b.connection()
	b.warnOfNetwork(at.Blobs)
	if b.opener == nil {
		return nil, &unsupportedError{"the cluster of this program is not of package runtime/engine/temporal"}
	}
	return b.opener.Open(ctx, at)
}

// clusterOf returns the cluster that a session is connected with.
func clusterOf(s *session) cluster.Cluster { return s.store.(cluster.Cluster) }

func (*clusterBackend) refuseCommand(verb string) error {
	switch verb {
	case "mcp":
		return &unsupportedError{"workers of a cluster perform the runs of this program: only programs that perform them themselves have the command `mcp`"}
	case "export", "import":
		return &unsupportedError{"the cluster keeps the history of each run, which no file can give to another one: only programs that perform their runs themselves export and import them"}
	case "listen":
		return &unsupportedError{"deliveries are queued in the store of a program that performs its runs itself, and a cluster has none: start runs by `run --detach` from the service that receives the event, or build a program without Temporal; `schedule` gives the cluster the workflow's schedule"}
	}
	return nil
}

// listen implements backend; refuseCommand says why there is nothing to do.
func (b *clusterBackend) listen(*cobra.Command, listenFlags, *newRun) error {
	return b.refuseCommand("listen")
}

func (b *clusterBackend) extendCommand(cmd *cobra.Command) {
	flags := cmd.Flags()
	switch cmd.Name() {
	case "run":
		cmd.Long += "\n\n" + "Workers of the cluster perform the steps; see `worker`. An interrupt ends only this\ncommand: `cancel` ends the run." + "\n\n" + clusterHelp
		b.placing.addToFlagSet(flags)
		flags.BoolVar(&b.detach, "detach", false, "print the run's id and do not wait for its end")
	case "resume":
		cmd.Long += "\n\nWorkers of the build that started the run continue it."
	case "logs":
		cmd.Long += "\n\nLogs are in the folder of --blobs, or else in the state folders of the workers."
	case "schedule":
		cmd.Long += "\n\nThe cluster keeps the schedule: this command only sets it. A time during the previous\nrun starts none."
		b.placing.addToFlagSet(flags)
		flags.BoolVar(&b.off, "off", false, "remove the schedule")
	case "prune":
		cmd.Short = "Remove large values and logs that no run needs"
		cmd.Long = "Remove large values and logs from the place of --blobs. prune keeps all values of runs\n" +
			"that the cluster still has, and of schedules. The cluster removes ended runs itself,\n" +
			"after the retention period of the namespace.\n\n" +
			"prune also keeps values used within --older-than. By default, that is a day longer than\nthe retention period, and it cannot be less."
		cmd.Example = "  " + b.name + " prune --dry-run\n  " + b.name + " prune --older-than 60d"
		flags.Lookup("older-than").Usage = "only values last used longer ago than `AGE`: 30d, 12h"
		flags.Lookup("dry-run").Usage = "count the values to remove; remove none"
	case "worker":
		flags.StringVar(&b.concurrency, "concurrency", "", "maximum `STEPS` at once, also by kind: 8 or agent=2,bash=8 (default: four per processor)")
		flags.StringSliceVar(&b.worker.Tags, "tags", nil, "`TAGS` of this worker, for nodes that wfc.yaml gives them: gpu,trusted")
		flags.DurationVar(&b.worker.Grace, "grace", 10*time.Minute, "maximum wait for running steps when the worker stops")
		flags.BoolVar(&b.worker.Drain, "drain", false, "end when no run of this build is open")
		flags.StringVar(&b.worker.Health, "health", "", "`ADDRESS` that answers HTTP requests for /healthz while the worker works")
	}
}

func (b *clusterBackend) attendRun(ctx context.Context, f runFlags, _ string, show *progress) (*attended, error) {
	s, err := b.openSession(ctx)
	if err != nil {
		return nil, err
	}
	s.follower = show
	return &attended{session: s, stopAsking: func() {}}, nil
}

func (b *clusterBackend) beginRun(ctx context.Context, s *session, n *newRun) (*local.Result, error) {
	start, err := b.startOf(n)
	if err != nil {
		return nil, err
	}
	if err := clusterOf(s).Start(ctx, *start); err != nil {
		return nil, err
	}
	if b.detach {
		fmt.Fprintln(b.streams.Out, start.Run.ID)
		return nil, nil
	}
	return b.awaitRun(ctx, s, start.Run.ID)
}

// startOf describes a new run to the cluster.
func (b *clusterBackend) startOf(n *newRun) (*cluster.Start, error) {
	def, opt, start := b.program.Definition, n.runOptions(b.call), b.start
	if b.program.Defaults.Budgets.Set() {
		return nil, &unsupportedError{"budgets count the runs in one store, and the runs of a cluster share none: leave them out, and set limits, which hold for each run"}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	values, err := input.Complete(def, n.inputs, dir)
	if err != nil {
		return nil, err
	}
	start.Run = flow.RunInfo{
		ID: runid.New(def.Name), Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: values,
		BaseBranch: opt.BaseBranch, DocsDir: cmp.Or(opt.DocsDir, "docs/"), DeliverTo: opt.DeliverTo, Graph: opt.Graph,
	}
	start.Settings, start.Limits, start.OnInterrupt = opt.Settings, opt.Limits, b.program.Defaults.OnInterrupt
	start.MaxParallel = cmp.Or(n.flags.MaxParallel, b.program.Defaults.MaxParallel, def.Concurrency)
	return &start, nil
}

func (b *clusterBackend) continueRun(ctx context.Context, s *session, id string, opt local.Options) (*local.Result, error) {
	var err error
	if opt.CancelBy != "" {
		err = s.engine.Cancel(ctx, id, opt.CancelBy)
	} else {
		err = clusterOf(s).Resume(ctx, id, cluster.Resume{Limits: opt.Limits, Settings: opt.Settings, Force: opt.Force, From: opt.From, By: opt.By})
	}
	if err != nil {
		return nil, err
	}
	return b.awaitRun(ctx, s, id)
}

// awaitRun shows a run until it ends or pauses. An interrupt ends only that.
func (b *clusterBackend) awaitRun(ctx context.Context, s *session, id string) (*local.Result, error) {
	watching, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	watch := s.follower.handleNotice
	if sink, err := openTelemetry(ctx, b.call, s.store, s.folder, true, b.call.program.Defaults.Agents); err != nil {
		return nil, err
	} else if sink != nil {
		s.telemetry, watch = sink, tracingWatcher(sink, watch)
	}
	watch(local.Notice{RunID: id, Begin: true})
	end, err := clusterOf(s).Await(watching, id, func(step flow.Record) { watch(local.Notice{RunID: id, Step: &step}) })
	if watching.Err() != nil {
		s.follower.stopDrawing()
		fmt.Fprintf(b.streams.Err, "\nthe run continues; see `%s`\n", b.commandLine("status", id)+b.stateHint())
		return nil, &exitError{code: runerr.ExitInterrupt}
	}
	if err != nil {
		return nil, err
	}
	watch(local.Notice{RunID: id, End: &end})
	result := &local.Result{ID: id, RunState: end}
	if status, err := s.engine.Status(ctx, id); err == nil {
		result.Worktree = status.Worktree()
	}
	return result, nil
}

func (b *clusterBackend) printLog(ctx context.Context, s *session, id string, follow bool, print *logPrinter) error {
	if err := clusterOf(s).Logs(ctx, cluster.Logs{Run: id, State: s.folder, Follow: follow}, print); err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	return nil
}

func (b *clusterBackend) logPlace(_ *session, id string) string {
	return b.commandLine("logs", id) + b.stateHint()
}

func (b *clusterBackend) keepSchedule(cmd *cobra.Command, args []string, f scheduleFlags, n *newRun) error {
	if !b.off {
		if _, _, err := f.parseSchedule(b.program.Definition); err != nil {
			return err
		}
		err := n.readCommandLine(b.call, cmd, args)
		if err == nil {
			n.flags.runSettings, err = b.withGates(n.flags.runSettings, actions.Actor{From: "schedule"}, true)
		}
		if err != nil {
			return err
		}
	}
	s, err := b.openSession(cmd.Context())
	if err != nil {
		return err
	}
	defer s.closeSession()
	if b.off {
		return failedError(clusterOf(s).Schedule(cmd.Context(), "", cluster.Start{}))
	}
	start, err := b.startOf(n)
	if err != nil {
		return failedError(err)
	}
	text := cmp.Or(f.cron, b.program.Definition.Schedule)
	if err := clusterOf(s).Schedule(cmd.Context(), text, *start); err != nil {
		return failedError(err)
	}
	fmt.Fprintf(b.streams.Err, "the cluster runs %s at `%s`\n", b.program.Definition.Name, text)
	return nil
}

// clusterPruneDocument is the JSON document of prune.
type clusterPruneDocument struct {
	SchemaVersion int   `json:"schema_version"`
	DryRun        bool  `json:"dry_run"`
	Values        int   `json:"values"`
	Bytes         int64 `json:"bytes"`
	Logs          int   `json:"logs"`
}

func (b *clusterBackend) pruneRuns(ctx context.Context, p pruning) error {
	selected := cluster.Prune{DryRun: p.dryRun}
	if p.olderThan != "" {
		age, ok := commandline.ParseAge(p.olderThan)
		if !ok || age == 0 {
			return usageError("`--older-than %s`: give an age such as 30d, 2w or 12h", p.olderThan)
		}
		selected.OlderThan = age
	}
	s, err := b.openSession(ctx)
	if err != nil {
		return err
	}
	defer s.closeSession()
	removed, err := clusterOf(s).Prune(ctx, selected)
	if err != nil {
		return failedError(err)
	}
	if b.json {
		return printJSON(b.streams.Out, clusterPruneDocument{schemaVersion, p.dryRun, removed.Values, removed.Bytes, removed.Logs})
	}
	_, err = fmt.Fprintf(b.streams.Out, "%s %d values (%d bytes) and the logs of %d runs\n", p.reportVerb(), removed.Values, removed.Bytes, removed.Logs)
	return failedError(err)
}
