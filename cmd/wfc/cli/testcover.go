package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// coverFlags say which reports of coverage to write.
type coverFlags struct {
	table      bool
	html, lcov string
	min        float64
}

func (c *coverFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.table, "cover", false, "print what the tests cover, and each uncovered item with its line")
	cmd.Flags().StringVar(&c.html, "cover-html", "", "write the coverage to `FILE` as a page with source and graph")
	cmd.Flags().StringVar(&c.lcov, "cover-lcov", "", "write the coverage to `FILE` as an LCOV tracefile")
	cmd.Flags().Float64Var(&c.min, "cover-min", 0, "fail if the tests cover less than `PERCENT`")
}

func (c *coverFlags) anySet() bool { return c.table || c.html != "" || c.lcov != "" || c.min > 0 }

func (c *coverFlags) validate() error {
	if c.min < 0 || c.min > 100 {
		return errors.New("--cover-min must be from 0 to 100")
	}
	return nil
}

// writeCoverage writes the reports that the flags ask for, from the file that the test program
// wrote. It fails if the tests cover too little. The table goes to w.
func (a *app) writeCoverage(w io.Writer, c *coverFlags, path string, workflows []outcome, found []testjob.Source) error {
	text, err := wholefile.Output.Read(path)
	if err != nil {
		return fmt.Errorf("read the coverage: %w", err)
	}
	var counts map[string]cover.Counts
	if err := json.Unmarshal(text, &counts); err != nil {
		return fmt.Errorf("read the coverage: %w", err)
	}
	var files []*cover.File
	for _, o := range workflows {
		for _, s := range found {
			if s.WorkflowPath != o.input.path || s.Workflow == "" {
				continue
			}
			p := o.result.Workflow
			f := &cover.File{
				Name: displayPath(o.input.path), Workflow: p.Workflow.Name, Text: string(p.File.Content),
				Items: cover.Of(p, counts[s.Workflow]),
			}
			if f.Graph, err = colouredGraph(p.Workflow, f.NodeState); err != nil {
				return err
			}
			files = append(files, f)
			break
		}
	}
	if c.table {
		if err := cover.Table(w, files, a.textOptions(w).Width); err != nil {
			return err
		}
	}
	for _, report := range []struct {
		path  string
		write func(io.Writer, []*cover.File) error
	}{{c.html, cover.HTML}, {c.lcov, cover.LCOV}} {
		if report.path == "" {
			continue
		}
		var b strings.Builder
		if err := report.write(&b, files); err != nil {
			return err
		}
		if err := writeFile(report.path, []byte(b.String()), ""); err != nil {
			return fmt.Errorf("write the coverage: %w", err)
		}
	}
	if share := cover.Percent(files); share < c.min {
		fmt.Fprintf(a.Err, "wfc: the tests cover %.1f%%, less than --cover-min %g%%\n", share, c.min)
		return silentExit(ExitFindings)
	}
	return nil
}

// coverFile returns the path of a new file for the facts of the test program, and a
// function that removes it.
func coverFile() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "wfc-cover-")
	if err != nil {
		return "", nil, fmt.Errorf("make a file for the coverage: %w", err)
	}
	return filepath.Join(dir, "cover.json"), func() { os.RemoveAll(dir) }, nil
}

// drawnNode is the start of a node in a picture, with its key.
var drawnNode = lazyregexp.New(`data-node="([^"]*)" class="(w-node|w-group) [^"]*"`)

// colouredGraph draws a workflow with boxes coloured by the states of their nodes.
func colouredGraph(w *ir.Workflow, state func(node string) string) (string, error) {
	var b strings.Builder
	if err := drawWorkflow(&b, "svg", w); err != nil {
		return "", err
	}
	return drawnNode().ReplaceAllStringFunc(b.String(), func(start string) string {
		m := drawnNode().FindStringSubmatch(start)
		if covered := state(html.UnescapeString(m[1])); covered != "" {
			return fmt.Sprintf("data-node=\"%s\" class=\"%s w-cover-%s\"", m[1], m[2], covered)
		}
		return start
	}), nil
}
