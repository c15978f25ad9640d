// Package commandline has the parts that the command lines of wfc and of built workflows
// share: messages about wrong flags and arguments, --version, and shell completion. It
// replaces all messages of the library github.com/spf13/cobra. It is for wfc and for the
// programs that wfc builds: other programs have no use for it.
//
//	root := &cobra.Command{Use: "notes", RunE: run}
//	commandline.Setup(root, "1.2.0")
//	if err := root.Execute(); err != nil {
//		fmt.Fprintln(os.Stderr, "notes:", commandline.Explain(err))
//	}
package commandline

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/tuning"
)

// ReserveStack grows the stack of the calling goroutine to 64 KiB in one step. Call it
// first in main: the commands nest many calls, and to grow the stack bit by bit takes a
// tenth of the time of a short command, such as `wfc check FILE`.
func ReserveStack() { tuning.ReserveStack() }

// Setup prepares the root of a command line. --version prints the name and version.
func Setup(root *cobra.Command, version string) {
	root.SilenceUsage, root.SilenceErrors = true, true
	// The library's own form, since a template of ours would link the package of
	// templates, and with it every exported method: a fifth of a small program.
	root.Version = version
	root.Flags().Bool("version", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Short = "Print a completion script for a shell"
			cmd.Args, cmd.RunE = RequireSubcommand(cmd), showHelp
		case "help":
			cmd.Short = "Show help for a command"
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) == 0 || hasCommand(root, args[0]) {
					return nil
				}
				return RequireSubcommand(root)(root, args)
			}
		}
	}
	root.InitDefaultHelpFlag()
	eachCommand(root, func(cmd *cobra.Command) {
		if cmd.Parent() != nil && cmd.Parent().Name() == "completion" {
			cmd.Args = NoArguments
		}
	})
}

// WithoutHelp returns the arguments of a root, prepared by Setup, without --help if they begin with
// an unknown command: the library would show the help of the root instead of the mistake.
func WithoutHelp(root *cobra.Command, args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "__") || hasCommand(root, args[0]) {
		return args
	}
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--help" || arg == "-h" })
}

func hasCommand(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, do)
	}
}

// RequireSubcommand returns the argument check of a command that has only subcommands: it refuses
// every argument, and suggests the subcommand that is nearest.
func RequireSubcommand(parent *cobra.Command) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range parent.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		hint := ""
		if best := plain.Nearest(args[0], names); best != "" {
			words := []string{parent.CommandPath(), best}
			for _, arg := range args[1:] {
				words = append(words, plain.ShellWord(arg))
			}
			hint = "; did you mean `" + strings.Join(words, " ") + "`?"
		}
		return fmt.Errorf("unknown command `%s`%s\nsee `%s --help`", args[0], hint, parent.CommandPath())
	}
}

// NoArguments refuses all arguments.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("`%s` takes no arguments; remove `%s`\nsee `%s --help`", typedPath(cmd), args[0], typedPath(cmd))
}

// PathAnnotation is the key of a cobra annotation: the words by which a person calls a
// command, if they differ from the command's path. A program that wfc started has it,
// because the person typed `wfc run triage.yaml` and not `triage run`.
const PathAnnotation = "path"

func typedPath(cmd *cobra.Command) string {
	if path := cmd.Annotations[PathAnnotation]; path != "" {
		return path
	}
	return cmd.CommandPath()
}

// flagError says what is wrong with a flag and where to read more.
func flagError(cmd *cobra.Command, err error) error {
	var text string
	var unknown *pflag.NotExistError
	var lacking *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var malformed *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		text = fmt.Sprintf("unknown flag `%s`%s", flagName(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()), suggestFlag(cmd, unknown))
	case errors.As(err, &lacking):
		text = fmt.Sprintf("`%s` needs a value", flagName(lacking.GetSpecifiedName(), lacking.GetSpecifiedShortnames()))
	case errors.As(err, &wrong):
		text = fmt.Sprintf("`--%s %s`: %s", wrong.GetFlag().Name, wrong.GetValue(), describeWantedValue(wrong))
	case errors.As(err, &malformed):
		text = fmt.Sprintf("`%s` is not a flag", malformed.GetSpecifiedFlag())
	default:
		return err
	}
	return fmt.Errorf("%s\nsee `%s --help`", text, typedPath(cmd))
}

// flagName is a flag as it was typed; short ones may have been typed together.
func flagName(name, short string) string {
	if short != "" {
		return "-" + name
	}
	return "--" + name
}

// suggestFlag is a question about the flag that an unknown one probably means.
func suggestFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	if unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if best := plain.Nearest(unknown.GetSpecifiedName(), names); best != "" {
		return "; did you mean `--" + best + "`?"
	}
	return ""
}

// describeWantedValue says what the value of a flag should be.
func describeWantedValue(wrong *pflag.InvalidValueError) string {
	switch wrong.GetFlag().Value.Type() {
	case "bool":
		return "give true or false"
	case "int", "int8", "int16", "int32", "int64", "count":
		return "give an integer"
	case "uint", "uint8", "uint16", "uint32", "uint64":
		return "give an integer, 0 or more"
	case "float32", "float64":
		return "give a number"
	case "duration":
		return "give a duration such as 30s or 5m"
	}
	return errors.Unwrap(wrong).Error() // the flag's own words
}

var groupError = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)
})

// Explain translates cobra's error about mutually exclusive flags into plain words. It
// returns other errors unchanged, and nil for nil.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if group := groupError().FindStringSubmatch(err.Error()); group != nil {
		return fmt.Errorf("give only one of --%s", strings.Join(strings.Fields(group[1]), " and --"))
	}
	return err
}
