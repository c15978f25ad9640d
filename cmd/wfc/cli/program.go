package cli

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/bundle"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// storeUse explains the flag --store.
func storeUse() string {
	kinds := plain.Strings(catalog.StoreKinds())
	last := len(kinds) - 1
	return "`STORE` of runs: " + strings.Join(kinds[:last], ", ") + " or " + kinds[last] + " (default: wfc.yaml's, or " + kinds[0] + ")"
}

// storeFor returns the store that --store names or, when it is not given, the
// project's.
func storeFor(flag string, c *config.Config) catalog.StoreInfo {
	for _, kind := range []settings.Store{settings.Store(flag), c.Settings("").Store} {
		if s, ok := catalog.StoreOf(kind); ok && kind != "" {
			return s
		}
	}
	return catalog.Stores()[0]
}

// lastingStore returns the project's store or, if it forgets its runs, the default one.
func lastingStore(c *config.Config) catalog.StoreInfo {
	if s := storeFor("", c); !s.Forgets {
		return s
	}
	return catalog.Stores()[0]
}

// isByURL reports whether a URL names the place of a store.
func isByURL(kind settings.Store) bool {
	store, _ := catalog.StoreOf(kind)
	return store.ByURL
}

// storeNamed returns the store that --store names; "" is any.
func storeNamed(name string) (settings.Store, error) {
	if name == "" {
		return catalog.Stores()[0].Kind, nil
	}
	return settings.Store(name), oneOf("--store", name, plain.Strings(catalog.StoreKinds()))
}

// linksStore reports whether a program keeps its runs in a store. A build with another store may have
// taken the place of the program that started a run. A file that is no Go program, such as a script
// that starts one, counts as the program that it was.
func linksStore(program string, kind settings.Store) bool {
	store, _ := catalog.StoreOf(kind)
	info, err := buildinfo.ReadFile(program)
	return err != nil || store.Module == "" || slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == store.Module })
}

// A generated is a workflow with its code.
type generated struct {
	outcome
	files []gen.File
	opt   gen.Options
	// asks are the agents that it asks, and behind what stands behind them.
	asks   []string
	behind settings.Agents
}

// compileWorkflows compiles the workflows that arguments stand for.
func (a *app) compileWorkflows(f *compileFlags, args []string) ([]outcome, error) {
	ins, err := a.projects.findInputs(args, "stdin.yaml")
	if err != nil {
		return nil, err
	}
	for _, in := range ins {
		if in.named && isConfig(in) {
			return nil, fmt.Errorf("`%s` is not a workflow", in.name)
		}
	}
	outcomes, err := a.projects.compileAll(f, ins)
	if err == nil && f.verbose {
		a.explainOutcomes(outcomes)
	}
	return outcomes, cmp.Or(err, disownedError(outcomes))
}

// generateCode returns the workflows among outcomes with their code; when any of
// them has errors, none. The findings are shown, warnings only when they are
// asked for. store is what --store says.
func (a *app) generateCode(outcomes []outcome, warnings bool, opt gen.Options, store string) ([]generated, error) {
	var all []generated
	for i := range outcomes {
		o := &outcomes[i]
		if o.result == nil || o.isSkipped() || o.result.HasErrors() {
			continue
		}
		opt.Store = storeFor(store, o.project.config.Config).Kind
		base := ""
		if opt.LineDirectives { // a program for this machine, and no code to keep
			base = o.project.config.Dir
		}
		opt.Defaults = o.runSettings(base)
		if opt.Temporal && opt.Defaults.Budgets.Set() {
			return nil, fmt.Errorf("%s: %w", o.input.name, errClusterBudgets)
		}
		all = append(all, generated{*o, gen.Generate(o.result.Workflow, opt), opt, agentsOf(*o), opt.Defaults.Agents})
	}
	if err := a.refuseAny(outcomes, warnings); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no workflows to compile")
	}
	return all, nil
}

// runSettings returns the settings for the runs of a workflow; see config.Config.Settings.
func (o *outcome) runSettings(base string) settings.Project {
	c := o.project.config
	all := c.Settings(base)
	all.Budgets.Workflows = c.WorkflowBudgets(o.result.Workflow, o.input.path)
	all.Notify = c.NotifyOf(o.input.path)
	all.OnQuota, all.Concurrency = c.TurnsOf(o.input.path, o.result.Dialect)
	return all
}

// errClusterBudgets refuses budgets that nobody would keep.
var errClusterBudgets = errors.New("`budgets` of wfc.yaml are for the local engine: they count the runs in one store, and the runs of a Temporal cluster share none; " +
	"leave them out and set `limits`, which hold for each run")

// newBuilder returns a builder for the given system; "" is this machine's.
func (a *app) newBuilder(goos, goarch string) (*build.Builder, error) {
	cache, err := build.DefaultCache()
	if err != nil {
		return nil, err
	}
	f, ok := plain.File(a.Err)
	return &build.Builder{
		Module: wfc.Module, Cache: cache, Environ: os.Environ(), GOOS: goos, GOARCH: goarch, Version: buildVersion(),
		InstalledOnly: a.projects.installedGo(), Bundle: ownBundle(), Progress: plain.Raw(a.Err), Live: ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb",
	}, nil
}

// ownBundle returns the folder that wfc-full has beside this program, or "".
func ownBundle() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	return bundle.Find(program)
}

// buildError gives the error of a build its exit code: code that does not
// compile is a fault of wfc.
func buildError(ctx context.Context, err error) error {
	var fault *build.CompileError
	switch {
	case ctx.Err() != nil:
		return &exitError{ExitInterrupted, errors.New("interrupted")}
	case errors.As(err, &fault):
		return &exitError{ExitInternal, err}
	}
	return &exitError{ExitUsage, err}
}
