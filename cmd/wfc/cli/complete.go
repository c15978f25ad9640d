package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/draw"
)

// The words that a shell offers. Completion never builds a program, so it offers the words of
// a program only after the user has built it.

// completionLimit is how long a program may take to say what it offers.
const completionLimit = 2 * time.Second

// addCompletions adds what shells offer to all commands but those on runs, which do it
// themselves.
func (a *app) addCompletions(root *cobra.Command) {
	files := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "check", "gen", "build", "graph", "doctor", "mcp":
			cmd.ValidArgsFunction = files
		case "run":
			cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
				if len(args) == 0 {
					return files(cmd, args, toComplete)
				}
				return a.offeredBy(cmd, args[0], append(append([]string{"run"}, args[1:]...), toComplete))
			}
		case "explain":
			cmd.ValidArgsFunction = completeCode
		case "version":
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		formats := report.Formats()
		offerFlagValues(cmd, "dialect", compiler.Dialects())
		switch cmd.Name() {
		case "init": // it offers its values
		case "graph":
			offerFlagValues(cmd, "format", draw.Formats())
		case "explain":
			offerFlagValues(cmd, "format", explainFormats)
		default:
			offerFlagValues(cmd, "format", plain.Strings(formats))
		}
		offerFlagValues(cmd, "store", plain.Strings(catalog.StoreKinds()))
	}
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

// offerFlagValues has shells offer values of a flag, if the command has it.
func offerFlagValues(cmd *cobra.Command, flag string, values []string) {
	if cmd.Flags().Lookup(flag) != nil {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// completeCode offers the diagnostics, by number or by slug.
func completeCode(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	bySlug := toComplete != "" && !strings.HasPrefix(strings.ToUpper(toComplete), "W")
	var list []string
	for _, c := range codes.All() {
		if bySlug {
			list = append(list, c.Slug+"\t"+c.ID)
		} else {
			list = append(list, c.ID+"\t"+c.Slug)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeTarget offers workflow files, workflows and runs for the first argument
// of a command on runs, and the runs of that for the second.
func (a *app) completeTarget(p passedCommand) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		folder, err := a.folderHere(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		switch {
		case len(args) == 0:
			list := workflowFiles(toComplete)
			for _, o := range folder.LastOrigins() {
				list = append(list, o.Workflow)
			}
			if !p.takesNoRun() {
				list = append(list, folder.Runs()...)
			}
			list = slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, toComplete) })
			directive := cobra.ShellCompDirectiveNoFileComp
			if !slices.ContainsFunc(list, func(s string) bool { return !strings.HasSuffix(s, "/") }) {
				directive |= cobra.ShellCompDirectiveNoSpace // a folder's content follows
			}
			return list, directive
		case len(args) == 1 && !p.takesNoRun():
			source, err := filepath.Abs(args[0])
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var ids []string
			for _, id := range folder.Runs() {
				if o, ok := folder.Origin(id); ok && (o.Source == source || o.Workflow == args[0]) {
					ids = append(ids, id)
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// workflowFiles are the folders and YAML files whose paths begin so; folders end
// in a slash.
func workflowFiles(begin string) []string {
	dir, base := filepath.Split(begin)
	entries, err := os.ReadDir(filepath.Clean("./" + dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		name := e.Name()
		switch ext := filepath.Ext(name); {
		case !strings.HasPrefix(name, base), search.PassesOver(name) && !strings.HasPrefix(base, "."):
		case e.IsDir():
			list = append(list, dir+name+"/")
		case ext == ".yaml", ext == ".yml":
			list = append(list, dir+name)
		}
	}
	return list
}

// completeFlags offers the values of the flags of a command on runs.
func (a *app) completeFlags(cmd *cobra.Command, p passedCommand) {
	offerFlagValues(cmd, "status", statusNames)
	for _, flag := range []string{"node", "agent", "choice"} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.offeredBy(cmd, args[0], []string{p.verb, "--" + flag, toComplete})
		})
	}
}

// offeredBy asks the program of a workflow file, of its name or of a run what it
// offers for a command line.
func (a *app) offeredBy(cmd *cobra.Command, name string, line []string) ([]string, cobra.ShellCompDirective) {
	program := a.programThere(cmd, name)
	if program == "" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ctx, stop := context.WithTimeout(context.Background(), completionLimit)
	defer stop()
	var out bytes.Buffer
	ask := exec.CommandContext(ctx, program, append([]string{cobra.ShellCompRequestCmd}, line...)...)
	ask.Stdout = &out
	if ask.Run() != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := lines[len(lines)-1]
	directive, err := strconv.Atoi(strings.TrimPrefix(last, ":"))
	if err != nil || !strings.HasPrefix(last, ":") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return lines[:len(lines)-1], cobra.ShellCompDirective(directive)
}

// programThere returns the program of a workflow file, of its name or of a run, if
// it need not be built; else "".
func (a *app) programThere(cmd *cobra.Command, name string) string {
	folder, err := a.folderHere(cmd)
	if err != nil {
		return ""
	}
	if id, err := folder.findRun(name); err == nil && id != "" {
		if o, ok := folder.Origin(id); ok {
			return folder.programPath(o)
		}
	}
	source, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	for _, o := range folder.LastOrigins() {
		if o.Source == source || o.Workflow == name {
			if program := folder.programPath(o); program != "" {
				return program
			}
		}
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return a.builtBefore(name)
}

// builtBefore returns the program of a workflow file as it is now, if the cache
// has it; else "".
func (a *app) builtBefore(file string) string {
	o, err := a.projects.compileOne(&compileFlags{}, file)
	if err != nil || o.result.Workflow == nil || o.result.HasErrors() {
		return ""
	}
	return a.cachedPath(o, "")
}

// cachedPath returns where the cache has the program of a workflow with a store, or would have it; ""
// if the workflow has errors.
func (a *app) cachedPath(o outcome, store string) string {
	w, err := a.generateCode([]outcome{o}, false, gen.Options{Main: true, LineDirectives: true}, store)
	if err != nil {
		return ""
	}
	builder, err := a.newBuilder("", "")
	if err != nil {
		return ""
	}
	program, _ := builder.Cached(w[0].files, gen.PackageName(w[0].result.Workflow.Workflow.Name))
	return program
}
