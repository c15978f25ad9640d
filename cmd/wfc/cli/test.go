package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func testProjectOf(o *outcome) testjob.Project {
	if o.project == nil {
		return testjob.Project{}
	}
	s := o.project.config.Settings("")
	p := testjob.Project{BaseBranch: s.BaseBranch, DocsDir: s.DocsDir, OnInterrupt: s.OnInterrupt, Sandbox: s.Sandbox, Limits: s.Limits}
	dialect := ""
	if o.result != nil {
		dialect = o.result.Dialect
	}
	p.OnQuota, _ = o.project.config.TurnsOf(o.input.path, dialect)
	for _, a := range s.Agents {
		if a.OnQuota != (settings.Quota{}) {
			plain.PutEntry(&p.AgentQuotas, a.Name, a.OnQuota)
		}
	}
	return p
}

// mostOrders is the maximum of --order.
const mostOrders = 10_000

// testFormats are the formats of reports.
var testFormats = []string{"text", "json", "junit", "github", "summary"}

func testCommand(a *app) *cobra.Command {
	var flags compileFlags
	job := testjob.Job{Repeat: "wfc test"}
	var coverage coverFlags
	var generated generateFlags
	var mutants mutateFlags
	cmd := &cobra.Command{
		Use:   "test [PATH…]",
		Short: "Test workflows without agents",
		Long: `test runs the tests of workflows. NAME.test.yaml has the tests of NAME.yaml; it is
beside that file, or in a folder tests beside it. A file NAME.stubs.yaml in a folder
fixtures is a fixture of Archon: it tests the workflows beside that folder.

PATH is a test file, a fixture, a workflow or a folder; the default is the current
folder. The name of a workflow, or of a folder below .archon/workflows, selects its
fixtures.

Tests run on a simulated engine with a virtual clock. They ask no agent and need no
keys: a test file has the replies of agents, the results of programs and the answers
of people. Each test has its own folder. On Linux, programs run without network.

The first run compiles the tested workflows into one program. Later runs use that
program until a workflow changes.

--cover prints which parts of the workflows the tests cover: nodes, edges, conditions
and their terms, ends of loops, answers of people, and alternatives of schemas.

--mutate runs the tests with mutants, copies of the workflows with one fault each, and
prints the mutants that no test notices.

--crash kills and resumes each test at every point of its run, and --order runs ready
steps in other orders. A test fails if its run then ends differently.

--from-recording makes a test of a recording: the run with its inputs and the replies of
its agents, and its transcript as the golden one. PATH is then the workflow, or a folder
that has it.

--generate writes a test file for each workflow that PATH names: tests that take every
edge, give every result to each condition, answer each question in every way and end
each loop in every way. They pass as they are; edit them. PATH is then a workflow, a
pattern or a folder, whose workflows with tests are left out.

The exit code is 0 if all tests passed, 1 if one failed, or if --cover-min or --mutate-min is
not reached, and 2 if they could not run.`,
		Example: "  wfc test\n  wfc test triage.yaml --run 'a bug' -v\n  wfc test --format junit > report.xml\n  wfc test --update   # rewrite golden transcripts\n  wfc test --generate triage.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			job.Verbose = flags.verbose
			if err := generated.validate(cmd); err != nil {
				return err
			}
			if generated.on {
				return a.generateTests(cmd, &flags, &generated, args)
			}
			if job.Recording != "" {
				return a.testFromRecording(cmd, &flags, job.Recording, args)
			}
			return a.buildAndRunTests(cmd, &flags, &job, &coverage, &mutants, args)
		},
	}
	cmd.Flags().StringVar(&flags.dialect, "dialect", "", "treat every workflow as this dialect")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "list passed tests too; in JSON, also all steps")
	cmd.Flags().StringVar(&job.Only, "run", "", "run only tests whose name matches `REGEXP`")
	cmd.Flags().Uint64Var(&job.Shuffle, "shuffle", 0, "run tests in a random order by `SEED`; 0 keeps the order")
	cmd.Flags().IntVar(&job.Count, "count", 1, "run each test `N` times")
	cmd.Flags().BoolVar(&job.Update, "update", false, "rewrite golden transcripts")
	cmd.Flags().BoolVar(&job.Keep, "keep", false, "keep the folder and the transcript of each test")
	cmd.Flags().StringVar(&job.Format, "format", "text", "report `FORMAT`: text, json, junit, github or summary")
	cmd.Flags().BoolVar(&job.Schema, "schema", false, "print the JSON Schema of test files, as wfc schema test does")
	cmd.Flags().StringVar(&job.Recording, "from-recording", "", "add a test from `FILE`, a recording of `run --record`")
	cmd.Flags().BoolVar(&job.Crash, "crash", false, "repeat each test with a kill at every point of the run, and resume")
	cmd.Flags().IntVar(&job.Orders, "order", 0, "repeat each test with `N` other orders of ready steps")
	cmd.Flags().Lookup("order").NoOptDefVal = "20"
	coverage.register(cmd)
	generated.register(cmd)
	mutants.register(cmd)
	return cmd
}

// longRun accepts -run for --run in the arguments of `wfc test`, as go test has it.
func longRun(args []string) []string {
	if len(args) == 0 || args[0] != "test" {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "-run" || strings.HasPrefix(arg, "-run=") {
			args[i] = "-" + arg
		}
	}
	return args
}

// buildAndRunTests builds the test program of all tested workflows and has it run the tests.
func (a *app) buildAndRunTests(cmd *cobra.Command, flags *compileFlags, job *testjob.Job, coverage *coverFlags, mutants *mutateFlags, args []string) error {
	if err := cmp.Or(oneOf("--format", job.Format, testFormats), coverage.validate(), mutants.validate(job)); err != nil {
		return err
	}
	if job.Orders < 0 || job.Orders > mostOrders {
		return fmt.Errorf("--order must be from 0 to %d", mostOrders)
	}
	if job.Count < 1 {
		return errors.New("--count must be 1 or more")
	}
	args = orCurrentFolder(args)
	var workflows []outcome
	if !job.Schema {
		found, err := a.projects.testSources(args)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errors.New("no tests found; write the tests of NAME.yaml into NAME.test.yaml, or let `wfc test --generate NAME.yaml` do it")
		}
		if workflows, found, err = a.testedWorkflows(flags, found); err != nil {
			return err
		}
		job.Files = found
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	program, builder, err := a.cachedTests(ctx, workflows, job.Files, coverage.anySet())
	if err != nil {
		return err
	}
	if job.Schema || !mutants.anySet() {
		failed, low := a.testAndCover(ctx, program, job, coverage, workflows)
		return cmp.Or(failed, low)
	}
	out := a.Out
	var report bytes.Buffer
	if job.Format == "json" {
		a.Out = &report // the mutants are part of that document
	}
	failed, low := a.testAndCover(ctx, program, job, coverage, workflows)
	a.Out = out
	if failed != nil {
		fmt.Fprint(out, report.String())
		if e := (*exitError)(nil); errors.As(failed, &e) && e.code == ExitFindings {
			fmt.Fprintln(a.Err, "wfc: no mutants ran, because the tests do not pass")
		}
		return failed
	}
	mutated, err := a.testMutants(ctx, flags, builder, *job, workflows)
	if err != nil {
		return err
	}
	return cmp.Or(low, a.printMutants(job.Format, report.Bytes(), mutated, mutants.min))
}

// testAndCover runs the test program, and writes the coverage if a flag asks for it. failed
// is the end of the tests, and low means that they cover too little.
func (a *app) testAndCover(ctx context.Context, program string, job *testjob.Job, coverage *coverFlags, workflows []outcome) (failed, low error) {
	if !coverage.anySet() || job.Schema {
		return a.runTests(ctx, program, job), nil
	}
	path, remove, err := coverFile()
	if err != nil {
		return err, nil
	}
	defer remove()
	job.Cover = path
	failed = a.runTests(ctx, program, job)
	if _, err := os.Stat(path); err != nil {
		return failed, nil // the tests could not run
	}
	table := a.Out
	if job.Format != testFormats[0] {
		table = a.Err // the report alone is on the standard output
	}
	return failed, a.writeCoverage(table, coverage, path, workflows, job.Files)
}

// runTests runs the test program.
func (a *app) runTests(ctx context.Context, program string, job *testjob.Job) error {
	err := performJob(ctx, testBinary{path: program}, *job, plain.Raw(a.Out), plain.Raw(a.Err))
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return silentExit(ended.ExitCode()) // the program has said why
	}
	return err
}

// A testBinary is a test program.
type testBinary struct {
	path string
	// folder is the folder for the files of its runs, or "" for the system's.
	folder string
}

// performJob has a test program do a job: without network if the system allows that.
func performJob(ctx context.Context, program testBinary, job testjob.Job, out, messages io.Writer) error {
	start := func(isolated bool) (*exec.Cmd, error) {
		job.Isolated = isolated
		request, err := json.Marshal(job)
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, program.path)
		if program.folder != "" {
			cmd.Env = append(os.Environ(), "TMPDIR="+program.folder)
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), out, messages
		if isolated && !cutOff(cmd) {
			return nil, errors.ErrUnsupported
		}
		return cmd, cmd.Start()
	}
	cmd, err := start(true)
	if err != nil { // the system refuses it
		cmd, err = start(false)
	}
	if err != nil {
		return fmt.Errorf("start the test program: %w", err)
	}
	if err = cmd.Wait(); ctx.Err() != nil {
		return &exitError{ExitInterrupted, errors.New("interrupted")}
	}
	return err
}
