package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
)

// A formatVersion is a version of a format that wfc follows. A test finds each in the page
// of its format.
type formatVersion struct {
	Format string `json:"format"`
	// Version is its name in the original, or when it was current.
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

var formatVersions = []formatVersion{
	{"archon", "July 2026", "f69919a7c"},
	{"archon", "0.9.0", "3d9af974b"},
	{"graphloop", "1.0", "29f8cb2"},
	{"lango", "February 2026", "5fcd659d"},
	{"xprompt", "gai, February 2026", "985b89b7"},
	{"xprompt", "sase", "004250fa"},
}

func versionCommand(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of wfc, and of the formats that it reads",
		Long: `version prints the version of wfc, its commit if it was built in a checkout, and the
versions of the formats that wfc follows.`,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, args []string) error { return a.printVersion(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document instead of text")
	return cmd
}

// A versionDocument is what --json prints.
type versionDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
	// Commit is "" if the program was not built in a checkout, and Modified says that the
	// checkout had changes.
	Commit   string          `json:"commit,omitempty"`
	Time     string          `json:"time,omitempty"`
	Modified bool            `json:"modified,omitempty"`
	Go       string          `json:"go"`
	System   string          `json:"system"`
	Formats  []formatVersion `json:"formats"`
}

func (s *screen) printVersion(asJSON bool) error {
	d := versionDocument{
		SchemaVersion: 1, Version: buildVersion(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Formats: formatVersions,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				d.Commit = s.Value
			case "vcs.time":
				d.Time = s.Value
			case "vcs.modified":
				d.Modified = s.Value == "true"
			}
		}
	}
	if asJSON {
		return s.printDocument(d)
	}
	fmt.Fprintln(s.Out, versionText())
	if d.Commit != "" {
		changes := ""
		if d.Modified {
			changes = ", with changes"
		}
		fmt.Fprintf(s.Out, "commit %s of %s%s\n", d.Commit, d.Time, changes)
	}
	fmt.Fprintln(s.Out)
	var rows [][]string
	for _, f := range formatVersions {
		rows = append(rows, []string{f.Format, f.Version, "commit " + f.Commit})
	}
	return s.writeTable(rows)
}

// versionText says which wfc this is.
func versionText() string {
	return fmt.Sprintf("wfc %s %s %s/%s", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the version that this program was built as.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
