package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/internal/preview"
	"github.com/wfc-lang/wfc/internal/report"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// serve serves the picture of a workflow file until a signal ends wfc.
func (g *graphFlags) serve(cmd *cobra.Command, file string) error {
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	ticker := time.NewTicker(preview.Interval)
	defer ticker.Stop()
	return g.follow(ctx, file, ticker.C)
}

// follow serves the picture until the context ends. It looks at the files at each tick.
func (g *graphFlags) follow(ctx context.Context, file string, ticks <-chan time.Time) error {
	if _, _, err := g.picture(file); err != nil {
		return err
	}
	s := preview.New(func() (preview.Picture, []string) {
		p, paths, err := g.picture(file)
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
	fmt.Fprintf(g.Out, "%s: %s\nCtrl-C ends the preview\n", shownName(file), address)
	if g.open {
		if err := openPage(address); err != nil {
			fmt.Fprintf(g.Err, "wfc: cannot open a browser: %v\n", err)
		}
	}
	go s.Follow(ctx, ticks)
	return s.Serve(ctx, l)
}

// picture compiles and draws a workflow file as it is now, and returns the files and folders
// that matter. It is an error if the file is not a workflow file that wfc can read.
func (g *graphFlags) picture(file string) (p preview.Picture, paths []string, err error) {
	p.Title = shownName(file)
	// Files are read once in a run of wfc, so each picture is a run of its own.
	now := &app{Streams: g.Streams, color: "never", projects: newProjects()}
	o, err := now.compileOne(&g.compileFlags, file)
	paths = append(now.files.Paths(), now.projects.paths()...)
	if path, at := filepath.Abs(file); at == nil {
		paths = append(paths, path)
	}
	if err != nil {
		return p, paths, err
	}
	var b strings.Builder
	r := reportOf([]outcome{o})
	if r.Counts() != (report.Counts{}) {
		if err := report.Write(&b, report.Text, r, report.Options{Version: version()}); err != nil {
			return p, paths, err
		}
		p.Report = b.String()
	}
	if r.Counts().Errors > 0 || o.result == nil || o.result.Program == nil {
		return p, paths, nil
	}
	var svg strings.Builder
	if err := drawWorkflow(&svg, "svg", o.result.Program.Workflow); err != nil {
		return p, paths, err
	}
	p.Title, p.SVG = o.result.Program.Workflow.Name, svg.String()
	return p, paths, nil
}

// shownName is a file as people are shown it.
func shownName(file string) string { return filepath.ToSlash(file) }

// paths returns the configurations that files of the projects have or could have.
func (p *projects) paths() []string {
	var list []string
	for dir := range p.dirs {
		for folder := range workspace.Ancestors(dir) {
			list = append(list, filepath.Join(folder, config.FileName))
		}
	}
	return list
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
