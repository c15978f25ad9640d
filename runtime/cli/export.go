package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runfile"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
)

func exportCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export [RUN]",
		Short: "Write a run to one file, for another machine",
		Long: "Write a run and the runs that its steps started to one file: journal, log, payload and\n" +
			"artifacts. `import` on another machine shows the run and resumes it. The file contains\n" +
			"prompts, replies and outputs; keep it like the state folder. Worktrees are not in it.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest` (the default). No process may work on it.",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRun(cmd.Context(), firstOrEmpty(args), func(ctx context.Context, s *session, id string) error {
				root, err := s.engine.Root(ctx, id)
				if err != nil {
					return failedError(err)
				}
				s.noteParent(id, root, "which is exported")
				path, err := s.exportRun(ctx, root, output)
				if err == nil {
					fmt.Fprintln(a.streams.Out, path)
					err = s.noteStaying(ctx, root)
				}
				return failedError(err)
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "")
	return cmd
}

// noteStaying says that an exported run that can continue is still here, and how to end it.
func (s *session) noteStaying(ctx context.Context, root string) error {
	status, err := s.engine.Status(ctx, root)
	if err != nil || status.Status == flow.Completed {
		return err
	}
	end := ""
	if !status.Status.Ended() {
		end = fmt.Sprintf("; to end it here: %s%s", s.commandLine("cancel", root), s.stateHint())
	}
	fmt.Fprintf(s.streams.Err, "the run stays here, too; continue it in one place only%s\n", end)
	return nil
}

// exportRun writes a run to a file, which must not exist, and returns its path.
func (s *session) exportRun(ctx context.Context, root, path string) (string, error) {
	if path == "" {
		path = root + ".wfcrun"
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", usageError("%s exists already; name another file with `--output`", path)
	}
	release, err := s.engine.HoldRun(ctx, root) // nothing changes meanwhile
	if err != nil {
		return "", err
	}
	defer release()
	journals, err := trace.Load(ctx, s.store, root)
	if err != nil {
		return "", err
	}
	var skipped []string
	err = wholefile.Stream(path, 0o600, true, func(w io.Writer) (err error) {
		skipped, err = runfile.Write(w, journals, s.folder.RunDir, time.Now())
		return err
	})
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	for _, file := range skipped {
		fmt.Fprintf(s.streams.Err, "%s is left out: it is not a regular file\n", plain.Line(file))
	}
	return path, nil
}
