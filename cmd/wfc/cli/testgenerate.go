package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/cmd/wfc/suite"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// generateFlags say whether and where to write generated tests.
type generateFlags struct {
	on, force bool
	output    string
}

func (g *generateFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.on, "generate", false, "write tests that cover the workflows")
	cmd.Flags().StringVarP(&g.output, "output", "o", "", "with --generate: the test file, a folder, or - for standard output")
	cmd.Flags().BoolVar(&g.force, "force", false, "with --generate: replace test files")
}

// validate checks the flags; those that run tests exclude --generate.
func (g *generateFlags) validate(cmd *cobra.Command) error {
	switch {
	case g.on:
		for _, name := range []string{"cover", "cover-html", "cover-lcov", "cover-min", "mutate", "mutate-min", "crash", "order", "count", "update", "keep", "run", "shuffle", "from-recording", "format", "schema"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--generate excludes --%s: it writes tests and does not run them", name)
			}
		}
		return nil
	case g.force:
		return errors.New("--force needs --generate")
	case g.output != "":
		return errors.New("--output needs --generate")
	}
	return nil
}

// A generating is a workflow with the test file to write.
type generating struct {
	outcome
	// path is the test file, "-" for the standard output. workflow is the path of the
	// workflow from there, or "" if the file's name says it.
	path, workflow string
	// within is the folder in which the file must be if wfc chooses its place.
	within string
}

// generateTests writes a test file for each workflow.
func (a *app) generateTests(cmd *cobra.Command, flags *compileFlags, g *generateFlags, args []string) error {
	args = orCurrentFolder(args)
	for _, arg := range args {
		if strings.HasSuffix(arg, search.TestSuffix) {
			return fmt.Errorf("`%s` is a test file; name the workflow for which to write tests", arg)
		}
	}
	ins, err := a.projects.findInputs(args, "stdin.yaml")
	if err != nil {
		return err
	}
	outcomes, err := a.projects.compileAll(flags, ins)
	if err != nil {
		return err
	}
	if err := cmp.Or(a.refuseAny(outcomes, false), disownedError(outcomes)); err != nil {
		return err
	}
	var all []generating
	var left []string
	for _, o := range outcomes {
		if o.isConfig() || !o.isWorkflow() {
			continue
		}
		w := generating{outcome: o}
		w.path, w.workflow, err = g.testFilePath(o, len(outcomes))
		if g.output == "" {
			w.within = search.TestRoot(o.input.path)
		}
		switch {
		case err != nil && o.input.named:
			return err
		case err != nil:
			left = append(left, fmt.Sprintf("left out %s: %v", o.input.name, err))
		case w.path == stdinName || g.force || !isFile(w.path):
			all = append(all, w)
		case o.input.named:
			return fmt.Errorf("`%s` exists; --force replaces it, and -o FILE writes another file", displayPath(w.path))
		default:
			left = append(left, fmt.Sprintf("kept %s; --force replaces it", displayPath(w.path)))
		}
	}
	if len(all) == 0 && len(left) == 0 {
		return errors.New("no workflow found")
	}
	if len(all) > 1 && g.output == stdinName {
		return errors.New("-o - writes the tests of one workflow; name one, or write into a folder")
	}
	for _, note := range left {
		fmt.Fprintln(a.Err, plain.Line(note))
	}
	if len(all) == 0 {
		return nil
	}
	return a.generateAll(cmd.Context(), all)
}

// testFilePath returns the test file of a workflow; see generating.
func (g *generateFlags) testFilePath(o outcome, workflows int) (path, workflow string, err error) {
	beside := search.TestsOf(o.input.path)
	switch {
	case g.output == stdinName:
		return stdinName, "", nil
	case g.output == "":
		path = beside[max(0, slices.IndexFunc(beside, isFile))]
	case isFolder(g.output), strings.HasSuffix(g.output, "/"), workflows > 1:
		path = filepath.Join(g.output, filepath.Base(beside[0]))
	default:
		path = g.output
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if !search.IsTest(path) {
		if !strings.HasSuffix(path, search.TestSuffix) {
			return "", "", fmt.Errorf("`%s` is not the name of a test file; it must end in %s, or in / for a folder", displayPath(path), search.TestSuffix)
		}
		return "", "", errors.New("test files cannot be in .archon/workflows; write them elsewhere with -o FOLDER")
	}
	if search.TestedBy(path, "", isFile) != o.input.path {
		if workflow, err = filepath.Rel(filepath.Dir(path), o.input.path); err != nil {
			return "", "", fmt.Errorf("the path from the tests to the workflow: %w", err)
		}
	}
	return path, filepath.ToSlash(workflow), nil
}

// generateAll builds one program of all workflows, and writes their tests.
func (a *app) generateAll(parent context.Context, all []generating) error {
	var workflows []outcome
	var found []testjob.Source
	for _, w := range all {
		workflows = append(workflows, w.outcome)
		found = append(found, testjob.Source{Path: cmp.Or(strings.TrimPrefix(w.path, stdinName), w.input.path), Shown: w.input.name, Project: testProjectOf(&w.outcome), WorkflowPath: w.input.path})
	}
	ctx, stop := untilSignal(parent)
	defer stop()
	built, _, err := a.cachedTests(ctx, workflows, found, true)
	if err != nil {
		return err
	}
	program, remove, err := keptProgram(built)
	if err != nil {
		return err
	}
	defer remove()
	if dir, err := os.MkdirTemp(memory, "wfc-generate-"); err == nil {
		defer os.RemoveAll(dir)
		program.folder = dir
	}
	failed := false
	for i, w := range all {
		made, err := suite.Generate(w.result.Workflow, w.workflow, func(candidates []string) ([]*testjob.Run, error) {
			out, err := askTestProgram(ctx, program, testjob.Job{Files: found[i : i+1], Probes: candidates})
			if err != nil {
				return nil, err
			}
			var probes []*testjob.Run
			if err := json.Unmarshal(out, &probes); err != nil {
				return nil, fmt.Errorf("read the candidates' runs: %w", err)
			}
			return probes, nil
		})
		if ctx.Err() != nil {
			return &exitError{ExitInterrupted, errors.New("interrupted")}
		}
		if err != nil {
			fmt.Fprintf(a.Err, "wfc: %s: %v\n", w.input.name, plain.Line(err.Error()))
			failed = true
			continue
		}
		comments := fmt.Sprintf("# Tests of %s, made by wfc test --generate, which does not change them again. Edit them.\n", plain.Line(w.result.Workflow.Workflow.Name))
		text, err := askTestProgram(ctx, program, testjob.Job{Document: made.JSON, Comments: comments})
		if err != nil {
			return err
		}
		if err := a.writeSuite(w, made, text); err != nil {
			return err
		}
	}
	if failed {
		return silentExit(ExitFindings)
	}
	return nil
}

// memory is a folder in memory, where the system has one. State graphs write their state to
// the disk after every node, which takes most of the time of a candidate.
const memory = "/dev/shm"

// keptProgram returns another name of a program of the cache, which other processes may
// clean meanwhile, and a function that removes it.
func keptProgram(program string) (kept testBinary, remove func(), err error) {
	dir, err := os.MkdirTemp("", "wfc-generate-")
	if err != nil {
		return kept, nil, fmt.Errorf("make a folder for the test program: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	kept.path = filepath.Join(dir, filepath.Base(program))
	if os.Link(program, kept.path) == nil {
		return kept, remove, nil
	}
	text, err := wholefile.Output.Read(program)
	if err == nil {
		err = os.WriteFile(kept.path, text, 0o755)
	}
	if err != nil {
		remove()
		return kept, nil, fmt.Errorf("keep the test program: %w", err)
	}
	return kept, remove, nil
}

// writeSuite writes generated tests, and reports the items that they do not cover.
func (a *app) writeSuite(w generating, made *suite.Suite, text []byte) error {
	report := a.Out
	if w.path == stdinName {
		report = a.Err
		if _, err := a.Out.Write(text); err != nil {
			return fmt.Errorf("write the tests: %w", err)
		}
	} else {
		if err := writeFile(w.path, text, w.within); err != nil {
			return fmt.Errorf("write the tests: %w", err)
		}
		fmt.Fprintf(report, "wrote %s: %s, %.1f%% of edges, %.1f%% of all items\n",
			plain.Line(displayPath(w.path)), plain.Count(made.Tests, "test"), made.Percent("edges"), made.Percent(""))
	}
	for _, m := range made.Missing {
		verb := "not covered"
		if m.Proven {
			verb = "unreachable"
		}
		fmt.Fprintf(report, "%s:%d: %s: %s: %s\n", plain.Line(w.input.name), m.Line, verb, plain.Line(m.Text), plain.Line(m.Reason))
	}
	return nil
}

// askTestProgram returns the answer of a test program to a request.
func askTestProgram(ctx context.Context, program testBinary, job testjob.Job) ([]byte, error) {
	var out, errs bytes.Buffer
	if err := performJob(ctx, program, job, &out, &errs); err != nil {
		return nil, fmt.Errorf("the test program: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	return out.Bytes(), nil
}
