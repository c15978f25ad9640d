package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// compileFlags are the flags of every command that compiles workflows.
type compileFlags struct {
	dialect string
	// archon is the version of Archon to follow instead of that of wfc.yaml, or "".
	archon      string
	strict      bool
	portability bool
	verbose     bool
	constants   []compiler.Constant
	// findingsOnly drops the programs of the files, and bounds computes how long runs of
	// them can be.
	findingsOnly, bounds bool
	// resources lists the files that each workflow uses.
	resources bool
}

func (f *compileFlags) register(cmd *cobra.Command) {
	f.registerReading(cmd)
	cmd.Flags().BoolVar(&f.strict, "strict", false, "treat warnings as errors")
	cmd.Flags().BoolVar(&f.portability, "portability", false, "show where the original engine would behave differently")
}

// registerReading adds the flags of commands that show no findings.
func (f *compileFlags) registerReading(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dialect, "dialect", "", "treat every file as this dialect")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show each file's dialect and the reason")
}

func (f *compileFlags) validate() error {
	if f.dialect == "" {
		return nil
	}
	return oneOf("--dialect", f.dialect, compiler.Dialects())
}

// compileOptions returns how to compile a file of the given project.
func (p *projects) compileOptions(f *compileFlags, path string, pr *project) compiler.Options {
	opt := pr.config.Options(path)
	opt.Root, opt.Home, opt.Files, opt.Ask = pr.root, p.home, &p.files, p.ask
	opt.Dialect, opt.Constants, opt.Portability, opt.Strict = f.dialect, f.constants, f.portability, f.strict
	opt.Settings.Archon.Version = cmp.Or(f.archon, opt.Settings.Archon.Version)
	return opt
}

// An outcome is what came of one input.
type outcome struct {
	input   input
	project *project
	// result is nil for a configuration, and when the file could not be read;
	// err says why.
	result *compiler.Result
	err    error
	bounds *explore.Report
	// resources are the names of the files that the workflow uses; see compileFlags.
	resources []string
	// nodes are the ids of the workflow's nodes, if the configuration has tags for nodes; nil
	// also if the file has errors.
	nodes []string
}

// compileOne compiles the workflow at path.
func (p *projects) compileOne(f *compileFlags, path string) (outcome, error) {
	ins, err := p.findInputs([]string{path}, "stdin.yaml")
	if err != nil {
		return outcome{}, err
	}
	if len(ins) != 1 || !ins[0].named || isConfig(ins[0]) {
		return outcome{}, &usageError{fmt.Errorf("`%s` is not a single workflow file", path)}
	}
	all, err := p.compileAll(f, ins)
	if err != nil {
		return outcome{}, err
	}
	return all[0], cmp.Or(all[0].err, disownedError(all))
}

// disownedError returns an error if the configuration excludes a file that the user named.
func disownedError(all []outcome) error {
	for _, o := range all {
		if o.result != nil && o.result.Excluded && o.input.named {
			return fmt.Errorf("`%s` is not a workflow according to `dialects` in wfc.yaml; --dialect overrides that", o.input.name)
		}
	}
	return nil
}

// compileAll compiles inputs, as many at a time as there are processors. The
// outcomes stand in the order of the inputs.
func (p *projects) compileAll(f *compileFlags, ins []input) ([]outcome, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	all := make([]outcome, len(ins))
	for i, in := range ins {
		if isConfig(in) && in.content == nil {
			c, err := p.loadConfig(in.path)
			if err != nil {
				return nil, err
			}
			all[i] = outcome{input: in, project: &project{config: c}}
			continue
		}
		pr, err := p.projectOfFile(in.path)
		if err != nil {
			return nil, err
		}
		all[i] = outcome{input: in, project: pr}
	}
	forEachOutcome(all, func(o *outcome) { p.compileOutcome(f, o) })
	return all, nil
}

// forEachOutcome does work on outcomes, as many at a time as there are processors.
func forEachOutcome(all []outcome, do func(*outcome)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			commandline.ReserveStack()
			for i := next.Add(1) - 1; i < int64(len(all)); i = next.Add(1) - 1 {
				do(&all[i])
			}
		})
	}
	workers.Wait()
}

func (p *projects) compileOutcome(f *compileFlags, o *outcome) {
	if isConfig(o.input) && o.input.content == nil {
		return
	}
	content, err := o.input.readContent()
	if err != nil {
		o.err = err
		return
	}
	o.result = compiler.Compile(source.NewFile(o.input.name, content), p.compileOptions(f, o.input.path, o.project))
	if f.bounds && !o.result.HasErrors() {
		o.bounds = explore.Bounds(o.result.Workflow)
	}
	if f.resources && o.result.Workflow != nil {
		for _, r := range o.result.Workflow.Resources {
			o.resources = append(o.resources, r.Name)
		}
	}
	if o.project.config.NamesNodes() && !o.result.HasErrors() {
		o.nodes = []string{}
		if p := o.result.Workflow; p != nil {
			ir.Walk(p.Workflow.Body, func(n *ir.Node) { o.nodes = append(o.nodes, n.ID) })
		}
	}
	if f.findingsOnly {
		// Kept until the last file is done, the programs of thousands of files
		// would be most of the memory, and going through them again and again
		// most of the collector's work.
		o.result.Workflow = nil
	}
}

// checkNodeNames adds to the findings of configurations the nodes that their settings name and that
// no workflow has. It can tell for configurations whose whole folder is among the arguments.
func checkNodeNames(args []string, outcomes []outcome) error {
	nodes := map[*loadedConfig]map[string][]string{}
	for _, o := range outcomes {
		c := o.project.config
		if !c.NamesNodes() || o.input.content != nil {
			continue
		}
		if nodes[c] == nil {
			nodes[c] = map[string][]string{}
		}
		if !o.isConfig() {
			nodes[c][o.input.path] = o.nodes
		}
	}
	for c, nodes := range nodes {
		for _, arg := range args {
			dir, err := filepath.Abs(arg)
			if err != nil {
				return err
			}
			if rel, err := filepath.Rel(dir, c.Dir); err == nil && filepath.IsLocal(rel) {
				c.findings = append(c.findings, c.UnknownNodes(nodes)...)
				break
			}
		}
	}
	return nil
}

// reportOf joins the findings of outcomes, first those of the configurations. Files that a
// search found and that aren't workflows are left out.
func reportOf(outcomes []outcome) *report.Report {
	r := &report.Report{}
	seen := map[*loadedConfig]bool{}
	for _, o := range outcomes {
		if c := o.project.config; !seen[c] && (o.isConfig() || len(c.findings) > 0) {
			seen[c] = true
			r.Files++
			r.Groups = append(r.Groups, report.Group{Name: c.name, Diagnostics: c.findings})
		}
	}
	for _, o := range outcomes {
		if o.result == nil || o.isSkipped() {
			continue
		}
		r.Files++
		r.Groups = append(r.Groups, report.Group{Name: o.input.name, Diagnostics: o.result.Diagnostics, Suppressed: o.result.Suppressed, Bounds: o.bounds})
	}
	return r
}

// isConfig reports whether the input is a configuration and no workflow.
func (o outcome) isConfig() bool { return o.result == nil && o.err == nil }

// isSkipped reports whether the input counts as not being there.
func (o outcome) isSkipped() bool {
	return o.result != nil && o.result.NotWorkflow && (!o.input.named || o.result.Excluded)
}

// isWorkflow reports whether the input was taken for a workflow.
func (o outcome) isWorkflow() bool { return o.result != nil && !o.result.NotWorkflow }

// exitCode returns the exit code that outcomes call for, after telling about
// files that could not be read.
func (s *screen) exitCode(outcomes []outcome, r *report.Report) int {
	code := ExitClean
	if r.Counts().Errors > 0 {
		code = ExitFindings
	}
	for _, o := range outcomes {
		switch {
		case o.err != nil:
			fmt.Fprintf(s.Err, "wfc: %s\n", plain.Message(o.err.Error()))
			code = max(code, ExitUsage)
		case o.result != nil && o.result.Stack != "":
			code = ExitInternal
		}
	}
	return code
}

// explainOutcomes prints the format of each file and the reason for it, where wfc failed, and
// which agents of the configurations may do anything.
func (s *screen) explainOutcomes(outcomes []outcome) {
	seen := map[*loadedConfig]bool{}
	for _, o := range outcomes {
		if c := o.project.config; !seen[c] {
			seen[c] = true
			s.explainAgents(c)
		}
		if o.result == nil {
			continue
		}
		switch r := o.result; {
		case o.isSkipped() && r.Why != "":
			fmt.Fprintf(s.Err, "%s: skipped: not a workflow, because %s\n", plain.Line(o.input.name), plain.Line(r.Why))
		case o.isSkipped():
			fmt.Fprintf(s.Err, "%s: skipped: not a workflow of any known format\n", plain.Line(o.input.name))
		case r.Dialect != "":
			fmt.Fprintf(s.Err, "%s: %s, because %s\n", plain.Line(o.input.name), r.Dialect, r.Why)
		}
		if o.result.Stack != "" {
			fmt.Fprintf(s.Err, "%s: %s\n", plain.Line(o.input.name), o.result.Stack)
		}
	}
}

// explainAgents points out the agents of a configuration that may do anything to
// the machine.
func (s *screen) explainAgents(c *loadedConfig) {
	for _, agent := range c.Agents() {
		if isUnguarded(agent) {
			fmt.Fprintf(s.Err, "%s: agent `%s` may do anything to this machine without asking (`permission: %s`)\n", plain.Line(c.name), plain.Line(agent.Name), agent.Permission)
		}
	}
}

// textOptions are how reports look on the given stream.
func (s *screen) textOptions(w io.Writer) report.Options {
	opt := report.Options{Color: s.color == "always", Version: buildVersion()}
	f, ok := plain.File(w)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return opt
	}
	if s.color == "auto" {
		opt.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
		opt.Width = columns
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		opt.Width = columns
	}
	return opt
}

// writeTable prints a table as wide as the terminal.
func (s *screen) writeTable(rows [][]string) error {
	for _, row := range plain.Table(s.textOptions(s.Out).Width, rows...) {
		if _, err := fmt.Fprintln(s.Out, row); err != nil {
			return err
		}
	}
	return nil
}

// refuseInvalid shows the findings of a workflow that cannot be used on the error
// stream and returns the error that ends the command; nil when the workflow
// has no errors.
func (s *screen) refuseInvalid(o outcome) error { return s.refuseAny([]outcome{o}, false) }

// refuseAny does the same for several workflows, when any has errors. With
// warnings it also shows what is wrong with workflows that can be used.
func (s *screen) refuseAny(all []outcome, warnings bool) error {
	r := reportOf(all)
	code := s.exitCode(all, r)
	if code == ExitClean && (!warnings || r.Counts() == report.Counts{}) {
		return nil
	}
	if err := s.showFindings(all); err != nil {
		return err
	}
	return silentExit(code)
}

// showFindings shows the findings of workflows on the error stream, if there are any.
func (s *screen) showFindings(all []outcome) error {
	r := reportOf(all)
	if r.Counts() == (report.Counts{}) {
		return nil
	}
	return report.Write(plain.Coloured(s.Err), report.Text, r, s.textOptions(s.Err))
}

// isConfig reports whether an input is a configuration.
func isConfig(in input) bool { return filepath.Base(in.path) == config.FileName }
