package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/cmd/wfc/mutate"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// mutateFlags say whether to run mutants.
type mutateFlags struct {
	on  bool
	min float64
}

func (m *mutateFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.on, "mutate", false, "run the tests with mutants of the workflows, and print those that survive")
	cmd.Flags().Float64Var(&m.min, "mutate-min", 0, "fail if the tests of a file notice less than `PERCENT` of its mutants")
}

func (m *mutateFlags) anySet() bool { return m.on || m.min > 0 }

func (m *mutateFlags) validate(job *testjob.Job) error {
	switch {
	case m.min < 0 || m.min > 100:
		return errors.New("--mutate-min must be from 0 to 100")
	case m.anySet() && (job.Update || job.Crash || job.Orders > 0 || job.Count > 1):
		return errors.New("--mutate excludes --update, --crash, --order and --count")
	}
	return nil
}

// A mutated is a tested workflow with its mutants.
type mutated struct {
	outcome
	id    string
	set   *mutate.Set
	files []gen.File
	err   error
}

// testMutants runs the tests of workflows with their mutants, and reports those that survive. The
// tests have passed. It returns the files in the order of the workflows.
func (a *app) testMutants(ctx context.Context, flags *compileFlags, builder *build.Builder, job testjob.Job, workflows []outcome) ([]*mutate.File, error) {
	var all []*mutated
	for _, o := range workflows {
		for _, s := range job.Files {
			if s.WorkflowPath == o.input.path && s.Workflow != "" {
				if !slices.ContainsFunc(all, func(m *mutated) bool { return m.id == s.Workflow }) {
					all = append(all, &mutated{outcome: o, id: s.Workflow})
				}
				break
			}
		}
	}
	outcomes := make([]outcome, len(all))
	for i, m := range all {
		outcomes[i] = m.outcome
	}
	forEachOutcome(outcomes, func(o *outcome) {
		for _, m := range all {
			if m.input.path == o.input.path {
				m.err = a.makeMutants(flags, builder, m)
			}
		}
	})
	var files []gen.File
	for _, m := range all {
		if m.err != nil {
			return nil, fmt.Errorf("the mutants of %s: %w", m.input.name, m.err)
		}
		files = append(files, m.files...)
		for _, x := range m.set.Mutants {
			job.Mutants = append(job.Mutants, testjob.Mutant{Workflow: m.id, ID: x.ID, Places: x.Places, Facts: x.Facts})
		}
	}
	verdicts, err := a.runMutants(ctx, builder, &job, all, files)
	if err != nil {
		return nil, err
	}
	var reports []*mutate.File
	for _, m := range all {
		p := m.result.Workflow
		f := &mutate.File{Name: displayPath(m.input.path), Workflow: p.Workflow.Name, Text: string(p.File.Content), NotMade: m.set.NotMade}
		for _, x := range m.set.Mutants {
			i := slices.IndexFunc(verdicts, func(v testjob.Verdict) bool { return v.Workflow == m.id && v.ID == x.ID })
			if i < 0 {
				return nil, fmt.Errorf("the test program has no verdict about mutant %d of %s", x.ID, f.Name)
			}
			r := mutate.Result{Mutant: x, Status: mutate.Survived, How: verdicts[i].Killed, By: verdicts[i].By}
			switch {
			case r.How != "":
				r.Status = mutate.Killed
			case !verdicts[i].Covered:
				r.Status = mutate.NotCovered
			}
			f.Results = append(f.Results, r)
		}
		reports = append(reports, f)
	}
	return reports, nil
}

// makeMutants makes the mutants of a workflow and their code.
func (a *app) makeMutants(flags *compileFlags, builder *build.Builder, m *mutated) error {
	p := m.result.Workflow
	options := a.projects.compileOptions(flags, m.input.path, m.project)
	m.set = mutate.Of(p, func(content []byte) *ir.Program {
		r := compiler.Compile(source.NewFile(m.input.name, content), options)
		if r.HasErrors() {
			return nil
		}
		return r.Workflow
	})
	opt := gen.Options{Package: "workflow", LineDirectives: true, ImportPath: builder.ImportPath(m.id)}
	files := gen.Generate(p, opt)
	var texts [][]byte
	for _, x := range m.set.Mutants {
		texts = append(texts, gen.Generate(x.Program, opt)[0].Content)
	}
	code, err := mutate.Combine(files[0].Content, texts)
	if err != nil {
		return err
	}
	m.set.Keep(code)
	files[0].Content = code.File
	files = append(files, gen.File{Name: "mutants.go", Content: code.Mutants})
	for _, f := range files {
		m.files = append(m.files, gen.File{Name: m.id + "/" + f.Name, Content: f.Content})
	}
	return nil
}

// runMutants builds the test program with mutants and has it run them.
func (a *app) runMutants(ctx context.Context, builder *build.Builder, job *testjob.Job, all []*mutated, files []gen.File) ([]testjob.Verdict, error) {
	ids := plain.Texts(all, func(m *mutated) string { return m.id })
	files = withTestMain(builder, files, ids, "nil, "+byPackage("func(int) []int", ids, "%[1]s.Mutant"))
	program, err := builder.BuildCached(ctx, files, "wfc-test")
	if err != nil {
		return nil, buildError(ctx, err)
	}
	dir, err := os.MkdirTemp("", "wfc-mutate-")
	if err != nil {
		return nil, fmt.Errorf("make a file for the verdicts: %w", err)
	}
	defer os.RemoveAll(dir)
	job.Cover, job.Format, job.Keep = "", testFormats[0], false
	job.Verdicts = filepath.Join(dir, "verdicts.json")
	out := a.Out
	a.Out = io.Discard // the report about the tests was written before
	err = a.runTests(ctx, program, job)
	a.Out = out
	if err != nil {
		return nil, err
	}
	text, err := wholefile.Output.Read(job.Verdicts)
	if err != nil {
		return nil, fmt.Errorf("read the verdicts: %w", err)
	}
	var found testjob.Verdicts
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("read the verdicts: %w", err)
	}
	if !found.ReadOnly {
		fmt.Fprintln(a.Err, "wfc: the system cannot protect your files from the scripts of mutants; give scripts that delete or overwrite files a result in the test")
	}
	return found.Verdicts, nil
}

// printMutants writes the report about mutants in the format of the tests. tests is the
// report about the tests, which the JSON report includes.
func (s *screen) printMutants(format string, tests []byte, files []*mutate.File, min float64) error {
	var err error
	switch format {
	case "json":
		err = joinReports(s.Out, tests, files)
	case "summary":
		err = mutate.Summary(s.Out, files)
	case "github":
		err = mutate.GitHub(s.Out, files)
	case "junit":
		err = mutate.Text(s.Err, files, s.textOptions(s.Err).Width)
	default:
		err = mutate.Text(s.Out, files, s.textOptions(s.Out).Width)
	}
	if err != nil {
		return err
	}
	low := false
	for _, f := range files {
		if score := mutate.Score([]*mutate.File{f}); score < min {
			fmt.Fprintf(s.Err, "wfc: the tests of %s notice %.1f%% of its mutants, less than --mutate-min %g%%\n", f.Name, score, min)
			low = true
		}
	}
	if low {
		return silentExit(ExitFindings)
	}
	return nil
}

// joinReports adds the mutants to the JSON report of the tests.
func joinReports(w io.Writer, tests []byte, files []*mutate.File) error {
	mutants, err := mutate.JSON(files)
	if err != nil {
		return err
	}
	tests = bytes.TrimRight(tests, " \n")
	body, ok := bytes.CutSuffix(tests, []byte("}"))
	if !ok {
		return errors.New("the report of the tests is not a JSON object")
	}
	var joined, indented bytes.Buffer
	joined.Write(body)
	joined.WriteString(`,"mutation":`)
	joined.Write(mutants)
	joined.WriteString("}")
	if err := json.Indent(&indented, joined.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("join the reports: %w", err)
	}
	indented.WriteByte('\n')
	_, err = w.Write(indented.Bytes())
	return err
}
