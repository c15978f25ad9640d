package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
)

// wfc links no store and no pages. It builds a program that links the stores that it's pointed at,
// once for each version of wfc, and becomes it.

// serveMain is the source of that program, for further imports and fields.
const serveMain = `package main

import (
	"os"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/serve"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
%s)

func main() {
	os.Exit(cli.Main(cli.Program{
		Definition: &flow.Definition{Name: "runs"},
		OpenStore:  entstore.OpenState,
		Serve:      cli.Pages(serve.Pages()%s),
%s	}))
}
`

// projectDatabase is the --store of the program for the database that its environment names.
const projectDatabase = ""

func serveCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the runs of all projects in a browser, and answer them",
		Long: `serve shows the runs of all projects of this account in a browser, with the questions that
wait for you and what each run costs. You can answer questions, and start, cancel and
resume runs. With --store, it shows other places instead, and with --temporal or
--namespace also the runs of a Temporal cluster.

The address that serve prints has a token, so that nobody else on this machine gets in.
A new start makes a new token. Only this machine can reach the pages; from another one,
use ` + "`ssh -L 8490:127.0.0.1:8490 HOST`" + `.

With --users, people sign in, and have the roles of the file; --add-user adds one. Then
other machines can reach the pages, if you give --tls-cert or name a proxy in the file.

serve keeps nothing itself: you can stop it at any time, and runs continue. The first
call builds the server.`,
		Example: "  wfc serve\n  wfc serve --store /srv/wfc-state --store postgres://ci@db.example.com/runs",
		Args:    commandline.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.serve(cmd) },
	}
	flags := cmd.Flags()
	commandline.DeclareRunFlags(flags, "pages")
	flags.String("temporal", "", "`ADDRESS` of a Temporal cluster with runs: host:port")
	flags.StringArray("namespace", nil, "Temporal `NAMESPACE` with runs; repeatable")
	flags.Bool("tls", false, "encrypt the connection to Temporal (default with TEMPORAL_API_KEY)")
	flags.String("blobs", "", "shared `PLACE` of the cluster's large values: a folder or a postgres:// URL")
	flags.Bool("prefetch", false, "build the server; serve nothing")
	return cmd
}

// serve becomes the program that serves pages.
func (a *app) serve(cmd *cobra.Command) error {
	places, err := servedPlaces(a, cmd)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the wfc program: %w", err)
	}
	imported, fields := "", ""
	for _, place := range places {
		if place == projectDatabase || strings.Contains(place, "://") {
			imported, fields = "\t\"github.com/wfc-lang/wfc/runtime/store/entstore/postgres\"\n", "\t\tOpenDatabase: postgres.OpenURL,\n"
		}
	}
	cluster := ""
	if flagValue(cmd, "temporal") != "" || flagValue(cmd, "namespace") != "" {
		imported, cluster = imported+"\t\"github.com/wfc-lang/wfc/runtime/engine/temporal\"\n", ", temporal.Cluster()"
	}
	program, err := a.fromCache(cmd.Context(), []gen.File{{Name: "main.go", Content: fmt.Appendf(nil, serveMain, imported, cluster, fields)}}, "wfc-serve", "the pages", nil)
	if err != nil || flagValue(cmd, "prefetch") == "true" {
		return err
	}
	argv := append([]string{"serve", "--wfc=" + self}, passedOf(cmd, "address", "listen", "metrics", "temporal", "namespace", "tls", "blobs", "users", "add-user", "roles", "tls-cert", "tls-key")...)
	if flagValue(cmd, "store") == "" {
		argv = append(argv, "--account")
	}
	for _, place := range places {
		argv = append(argv, "--store="+place)
	}
	return execTarget(target{program: program}, argv)
}

// servedPlaces returns the places that the command line names. Without any, it's the database of
// the project, if its runs are in one; the program finds the state folders itself.
func servedPlaces(a *app, cmd *cobra.Command) ([]string, error) {
	given, err := cmd.Flags().GetStringArray("store")
	if err != nil {
		return nil, err
	}
	for i, place := range given {
		if strings.Contains(place, "://") {
			if !strings.HasPrefix(place, "postgres://") && !strings.HasPrefix(place, "postgresql://") {
				return nil, &usageError{fmt.Errorf("--store %s: give the path of a state folder, or a URL that begins with postgres://", place)}
			}
			continue
		}
		path, err := filepath.Abs(place)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, &usageError{fmt.Errorf("--store: %w", err)}
		}
		given[i] = path
	}
	if len(given) > 0 {
		return given, nil
	}
	pr, err := a.projects.currentProject()
	if err != nil {
		return nil, err
	}
	if !storeFor("", pr.config.Config).ByURL || cmp.Or(os.Getenv(databaseVariable), pr.databaseURL()) == "" {
		return nil, nil
	}
	// In the environment, because everybody can read the command lines of processes.
	return []string{projectDatabase}, pr.nameDatabase()
}
