package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/gen"
)

// A buildRun is the command `wfc build` with its flags.
type buildRun struct {
	*app
	flags     compileFlags
	output    string
	constants []string
	store     string
	prefetch  bool
	mcp       bool
	otel      bool
	serve     bool
	engine    string
}

func buildCommand(a *app) *cobra.Command {
	b := &buildRun{app: a}
	cmd := &cobra.Command{
		Use:   "build FILE|NAME… [-o OUT]",
		Short: "Build a binary from a workflow",
		Long: `build compiles each workflow to one binary, which runs without wfc, Go or the
workflow's YAML. OUT is the binary's file, or a folder for the binaries of several
workflows. The default is the current folder and the names of the workflow files.

GOOS and GOARCH select another system, as for Go. --const compiles the value of an
input into the binary; a run cannot change it.

The first build compiles the code that all workflows share, which takes some time.
It needs a Go toolchain, and the network for missing modules. --prefetch does this
in advance, so that later builds work offline. Without FILE it covers workflows
whose agents are external programs, and the agents of wfc.yaml. With FILE it covers
that workflow and builds it. It downloads only the modules that these agents need,
and with --engine temporal those of that engine.

With --mcp, the binary has a command mcp, which serves the workflow to agents. With
--otel, it exports traces of its runs when OTEL_EXPORTER_OTLP_ENDPOINT is set. With
--serve, it has a command serve, which shows its runs in a browser. With
--engine temporal, it runs the workflow on a Temporal cluster, and its command worker
performs the steps.`,
		Example: "  wfc build triage.yaml -o triage\n  GOOS=darwin GOARCH=arm64 wfc build triage.yaml -o dist/\n  wfc build --prefetch",
		RunE:    func(cmd *cobra.Command, args []string) error { return b.run(cmd, args) },
	}
	b.flags.register(cmd)
	cmd.Flags().StringVarP(&b.output, "output", "o", "", "file of the binary, or a folder")
	cmd.Flags().StringArrayVar(&b.constants, "const", nil, "compile the input `NAME=VALUE` into the binary; repeatable")
	cmd.Flags().StringVar(&b.store, "store", "", storeUse())
	cmd.Flags().StringVar(&b.engine, "engine", "local", "engine of the binary: local, or temporal for a Temporal cluster")
	cmd.Flags().BoolVar(&b.mcp, "mcp", false, "add an MCP server to the binary")
	cmd.Flags().BoolVar(&b.otel, "otel", false, "add an exporter of OpenTelemetry traces to the binary")
	cmd.Flags().BoolVar(&b.serve, "serve", false, "add pages for browsers to the binary")
	cmd.Flags().BoolVar(&b.prefetch, "prefetch", false, "download and compile dependencies for later offline builds")
	return cmd
}

func (b *buildRun) run(cmd *cobra.Command, args []string) error {
	_, err := storeNamed(b.store)
	if err != nil {
		return err
	}
	if err := b.checkEngine(); err != nil {
		return err
	}
	if b.flags.constants, err = parseConstants(b.constants); err != nil {
		return err
	}
	builder, err := b.newBuilder(os.Getenv("GOOS"), os.Getenv("GOARCH"))
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	if b.prefetch && len(args) == 0 {
		stock, err := b.stockHere(b.store)
		if err != nil {
			return err
		}
		stock.mcp, stock.otel, stock.temporal = b.mcp, b.otel, b.engine == engineTemporal
		b.tellStock(stock)
		if err := builder.Prefetch(ctx, stock.programFiles()); err != nil {
			return buildError(ctx, err)
		}
		return nil
	}
	if err := someWorkflow(cmd, args); err != nil {
		return err
	}
	opt := gen.Options{Main: true, LineDirectives: true, MCP: b.mcp, OTel: b.otel, Serve: b.serve, Temporal: b.engine == engineTemporal}
	outcomes, err := b.compileWorkflows(&b.flags, args)
	if err != nil {
		return err
	}
	all, err := b.generateCode(outcomes, true, opt, b.store)
	if err != nil {
		return err
	}
	if err := b.refuseNotices(all); err != nil {
		return err
	}
	outputs, err := b.outputPaths(builder, all, len(args) > 1 || !all[0].input.named)
	if err != nil {
		return err
	}
	for i, w := range all {
		if b.prefetch {
			b.tellNeeds(w)
		}
		if err := builder.Build(ctx, w.files, outputs[i]); err != nil {
			return buildError(ctx, err)
		}
	}
	return nil
}

// engineTemporal is the value of --engine for programs that run on a cluster.
const engineTemporal = "temporal"

// checkEngine refuses unknown engines, and flags that the given one doesn't have.
func (b *buildRun) checkEngine() error {
	if err := oneOf("--engine", b.engine, []string{"local", engineTemporal}); err != nil {
		return err
	}
	switch {
	case b.engine != engineTemporal:
		return nil
	case b.store != "":
		return errors.New("`--store` is for the local engine: a Temporal cluster keeps the runs itself")
	case b.mcp:
		return errors.New("`--mcp` is for the local engine: the MCP server performs its runs itself")
	}
	return nil
}

// refuseNotices refuses notices of programs that cannot send them.
func (b *buildRun) refuseNotices(all []generated) error {
	for _, w := range all {
		if rules := w.opt.Defaults.Notify.Rules; b.engine == engineTemporal && len(rules) > 0 {
			return fmt.Errorf("%s: `notify` needs the local engine: a Temporal cluster keeps the runs itself and has no queue of notices; build without `--engine temporal`, or give `%s` no targets in %s, such as `workflows: {%q: {notify: {%[2]s: []}}}`",
				w.input.name, rules[0].Event, w.project.config.name, w.input.name)
		}
	}
	return nil
}

// outputPaths returns the file of each program.
func (b *buildRun) outputPaths(builder *build.Builder, all []generated, folder bool) ([]string, error) {
	if isFolder(b.output) || endsInSeparator(b.output) || b.output == "" {
		folder = true
	}
	if !folder {
		return []string{b.output}, nil
	}
	var list []string
	owner := map[string]string{}
	for _, w := range all {
		name := strings.TrimSuffix(filepath.Base(w.input.path), filepath.Ext(w.input.path))
		out := filepath.Join(b.output, name+builder.ExeSuffix())
		if other, taken := owner[out]; taken {
			return nil, fmt.Errorf("the binaries of %s and %s have the same file %s; build them one by one with -o", other, w.input.name, out)
		}
		if isFolder(out) {
			return nil, fmt.Errorf("the binary of %s would replace the folder %s; name its file with -o", w.input.name, out)
		}
		owner[out] = w.input.name
		list = append(list, out)
	}
	return list, nil
}

func endsInSeparator(path string) bool {
	return path != "" && os.IsPathSeparator(path[len(path)-1])
}

// parseConstants reads the values of --const.
func parseConstants(given []string) ([]compiler.Constant, error) {
	var list []compiler.Constant
	seen := map[string]bool{}
	for _, g := range given {
		name, value, ok := strings.Cut(g, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("invalid `--const %s`: write NAME=VALUE", g)
		}
		if seen[name] {
			return nil, fmt.Errorf("duplicate --const for `%s`", name)
		}
		seen[name] = true
		list = append(list, compiler.Constant{Name: name, Value: value})
	}
	return list, nil
}
