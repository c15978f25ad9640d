package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/drawing"
	"github.com/wfc-lang/wfc/cmd/wfc/preview"
	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/runtime/draw"
)

func graphCommand(a *app) *cobra.Command {
	g := graphFlags{app: a}
	formats := draw.Formats()
	cmd := &cobra.Command{
		Use:   "graph FILE|NAME|RUN",
		Short: "Draw a workflow",
		Long: `graph draws a workflow as a table for the terminal, or as Mermaid, DOT, SVG, HTML or JSON.
With --layers, it prints layers of nodes that can run in parallel: [A] [B C] [D].

NAME is the name of a workflow of the project. For RUN, a run's id or a unique prefix
of one, and with --run, it draws the path of a run: the state of each node, how often
and how long it ran, and the edges that the run took. The binary that started the run
draws it.

With --watch, it serves the picture on this machine, and draws it again when the
file, or a file that it names, changes. Ctrl-C ends it.`,
		Example: "  wfc graph flow.yaml\n  wfc graph flow.yaml --format svg > flow.svg\n  wfc graph flow.yaml --run latest --format html > run.html\n  wfc graph flow.yaml --watch --open",
		Args:    oneWorkflow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", g.format, formats); err != nil {
				return err
			}
			if err := g.takeRun(cmd, args[0]); err != nil {
				return err
			}
			if err := g.rejectFlagConflicts(cmd); err != nil {
				return err
			}
			if args[0] == "-" && (g.watch || g.run != "") {
				return errors.New("--watch and --run need a file, not the standard input")
			}
			switch {
			case g.run != "":
				return g.drawRunPath(cmd, args[0])
			case g.watch:
				return g.servePicture(cmd, args[0])
			}
			return g.drawFile(args[0])
		},
	}
	g.register(cmd)
	commandline.DeclareRunFlags(cmd.Flags(), cmd.Name())
	cmd.Flags().StringVar(&g.format, "format", formats[0], "output format: "+strings.Join(formats, ", "))
	cmd.Flags().BoolVar(&g.layers, "layers", false, "print layers of nodes that can run in parallel")
	cmd.Flags().StringVar(&g.run, "run", "", "draw the path of a `RUN`: an id, a prefix of one, or latest")
	cmd.Flags().BoolVar(&g.watch, "watch", false, "serve a page that follows changes of the file")
	cmd.Flags().BoolVar(&g.open, "open", false, "with --watch: open the page in a browser")
	return cmd
}

// graphFlags are the flags of graph.
type graphFlags struct {
	*app
	compileFlags
	format, run         string
	layers, watch, open bool
}

// takeRun has the argument of the command be the run, if it is the id of one and not a file.
func (g *graphFlags) takeRun(cmd *cobra.Command, arg string) error {
	if _, err := os.Stat(arg); !errors.Is(err, fs.ErrNotExist) || arg == stdinName || cmd.Flags().Changed("run") {
		return nil
	}
	folder, err := g.folderHere(cmd)
	if err != nil {
		return err
	}
	id, err := folder.findRun(arg)
	if err != nil || id == "" {
		return err
	}
	return cmd.Flags().Set("run", id)
}

// rejectFlagConflicts refuses flags that do not go together.
func (g *graphFlags) rejectFlagConflicts(cmd *cobra.Command) error {
	for _, pair := range [][2]string{{"layers", "format"}, {"layers", "run"}, {"layers", "watch"}, {"watch", "run"}, {"watch", "format"}} {
		if cmd.Flags().Changed(pair[0]) && cmd.Flags().Changed(pair[1]) {
			if pair == [2]string{"layers", "format"} {
				return errors.New("--layers has its own format; remove --format")
			}
			return fmt.Errorf("--%s and --%s do not go together; remove one", pair[0], pair[1])
		}
	}
	if g.run == "" {
		for _, name := range []string{"state", "database"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is only for --run", name)
			}
		}
	}
	if g.open && !g.watch {
		return errors.New("--open needs --watch")
	}
	return nil
}

// drawFile draws a workflow file.
func (g *graphFlags) drawFile(file string) error {
	o, err := g.projects.compileOne(&g.compileFlags, file)
	if err != nil {
		return err
	}
	if g.verbose {
		g.explainOutcomes([]outcome{o})
	}
	if err := g.refuseInvalid(o); err != nil {
		return err
	}
	if g.layers {
		nodes, edges := drawing.Describe(o.result.Workflow.Workflow)
		if edges != nil {
			return errors.New("--layers does not work with state graphs: their nodes have no layers")
		}
		return draw.WriteLayers(g.Out, nodes)
	}
	return drawWorkflow(g.Out, g.format, o.result.Workflow.Workflow)
}

// drawWorkflow draws a workflow in a format of package graph.
func drawWorkflow(w io.Writer, format string, workflow *ir.Workflow) error {
	nodes, edges := drawing.Describe(workflow)
	return draw.Write(w, format, workflow.Name, nodes, edges)
}

// drawRunPath becomes the program that started a run, which draws the path of the run.
func (g *graphFlags) drawRunPath(cmd *cobra.Command, file string) error {
	t, err := g.resolveTarget(cmd, []string{file, g.run})
	if err != nil {
		return err
	}
	argv := append([]string{"graph", "--run=" + g.run, "--format=" + g.format}, passedOf(cmd, "state", "database")...)
	return execTarget(t, argv)
}

// servePicture serves the picture of a workflow file until a signal ends wfc.
func (g *graphFlags) servePicture(cmd *cobra.Command, file string) error {
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	ticker := time.NewTicker(preview.Interval)
	defer ticker.Stop()
	return g.serveAndWatch(ctx, file, ticker.C)
}

// serveAndWatch serves the picture until the context ends. It looks at the files at each tick.
func (g *graphFlags) serveAndWatch(ctx context.Context, file string, ticks <-chan time.Time) error {
	if _, _, err := g.renderPicture(file); err != nil {
		return err
	}
	s := preview.New(func() (preview.Picture, []string) {
		p, paths, err := g.renderPicture(file)
		if err != nil {
			p.Report = err.Error()
		}
		return p, paths
	})
	l, err := preview.Listen()
	if err != nil {
		return fmt.Errorf("open a port for the page: %w", err)
	}
	address := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(g.Out, "%s: %s\nCtrl-C ends the preview\n", filepath.ToSlash(file), address)
	if g.open {
		if err := openPage(address); err != nil {
			fmt.Fprintf(g.Err, "wfc: cannot open a browser: %v\n", err)
		}
	}
	go s.Follow(ctx, ticks)
	return s.Serve(ctx, l)
}

// renderPicture compiles and draws a workflow file as it is now, and returns the files and folders
// that matter. It is an error if the file is not a workflow file that wfc can read.
func (g *graphFlags) renderPicture(file string) (p preview.Picture, paths []string, err error) {
	p.Title = filepath.ToSlash(file)
	// Projects read each file once, so each picture needs new ones.
	now := newProjects(g.In)
	o, err := now.compileOne(&g.compileFlags, file)
	paths = append(now.files.Paths(), now.configPaths()...)
	if path, at := filepath.Abs(file); at == nil {
		paths = append(paths, path)
	}
	if err != nil {
		return p, paths, err
	}
	var b strings.Builder
	r := reportOf([]outcome{o})
	if r.Counts() != (report.Counts{}) {
		if err := report.Write(&b, report.Text, r, report.Options{Version: buildVersion()}); err != nil {
			return p, paths, err
		}
		p.Report = b.String()
	}
	if r.Counts().Errors > 0 || o.result == nil || o.result.Workflow == nil {
		return p, paths, nil
	}
	var svg strings.Builder
	if err := drawWorkflow(&svg, "svg", o.result.Workflow.Workflow); err != nil {
		return p, paths, err
	}
	p.Title, p.SVG = o.result.Workflow.Workflow.Name, svg.String()
	return p, paths, nil
}

// openPage opens a page in the browser of the user.
func openPage(address string) error {
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.Command("open", address)
	case "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		c = exec.Command("xdg-open", address)
	}
	if err := c.Start(); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("%s is not installed; open %s yourself", c.Args[0], address)
		}
		return err
	}
	go c.Wait() //nolint:errcheck // wfc does not depend on it
	return nil
}
