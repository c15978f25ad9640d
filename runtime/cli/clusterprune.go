package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// clusterPruneCommand is the command prune of a program that is built for a cluster, which
// removes its runs itself.
func (a *app) clusterPruneCommand() *cobra.Command {
	var olderThan string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove large values and logs that no run needs",
		Long: "Remove large values and logs from the place of --blobs. prune keeps all values of runs\n" +
			"that the cluster still has, and of schedules. The cluster removes ended runs itself,\n" +
			"after the retention period of the namespace.\n\n" +
			"prune also keeps values used within --older-than. By default, that is a day longer than\nthe retention period, and it cannot be less.",
		Example: "  " + a.name + " prune --dry-run\n  " + a.name + " prune --older-than 60d",
		Args:    commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := cluster.Prune{DryRun: dryRun}
			if olderThan != "" {
				age, ok := parseAge(olderThan)
				if !ok || age == 0 {
					return usage("`--older-than %s`: give an age such as 30d, 2w or 12h", olderThan)
				}
				p.OlderThan = age
			}
			return a.pruneCluster(cmd.Context(), p)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&olderThan, "older-than", "", "only values last used longer ago than `AGE`: 30d, 12h")
	flags.BoolVar(&dryRun, "dry-run", false, "count the values to remove; remove none")
	a.jsonFlag(cmd)
	return cmd
}

// clusterPruneDocument is the JSON document of prune.
type clusterPruneDocument struct {
	SchemaVersion int   `json:"schema_version"`
	DryRun        bool  `json:"dry_run"`
	Values        int   `json:"values"`
	Bytes         int64 `json:"bytes"`
	Logs          int   `json:"logs"`
}

func (a *app) pruneCluster(ctx context.Context, p cluster.Prune) error {
	s, err := a.open(ctx, setup{})
	if err != nil {
		return err
	}
	defer s.close()
	removed, err := s.cluster().Prune(ctx, p)
	if err != nil {
		return failed(err)
	}
	if a.json {
		return printJSON(a.streams.Out, clusterPruneDocument{schemaVersion, p.DryRun, removed.Values, removed.Bytes, removed.Logs})
	}
	verb := "removed"
	if p.DryRun {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(a.streams.Out, "%s %d values (%d bytes) and the logs of %d runs\n", verb, removed.Values, removed.Bytes, removed.Logs)
	return failed(err)
}
