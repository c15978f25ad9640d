package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A formatVersion is a version of a format that wfc follows. A test finds each in the page
// of its format.
type formatVersion struct {
	Format string `json:"format"`
	// Name is how `archon.version` and the changes call it.
	Name string `json:"name"`
	// Version is its name in the original, or when it was current.
	Version string `json:"version"`
	// Commit is what wfc was compared with; Text names a text with no known commit.
	Commit string `json:"commit,omitempty"`
	Text   string `json:"text,omitempty"`
	origin string
}

// A formatChange is a key or a rule that a version of a format changed.
type formatChange struct {
	Since string `json:"since"`
	// Keys are keys that the version introduced at the place Where.
	Keys  []string `json:"keys,omitempty"`
	Where string   `json:"where,omitempty"`
	// Topic, Before and After describe a rule, and Source says where the new one comes from.
	Topic  string `json:"topic,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Source string `json:"source,omitempty"`
	// Named says that the rule holds only in projects that name the version.
	Named bool `json:"named,omitempty"`
}

func versionsOf(list []*formats.Format) []formatVersion {
	var all []formatVersion
	for _, f := range list {
		for _, v := range f.Versions {
			all = append(all, formatVersion{f.Name, v.Name, v.Title, v.Commit, v.Text, v.Origin()})
		}
	}
	return all
}

func changesOf(f *formats.Format) []formatChange {
	list := []formatChange{}
	for _, k := range f.Keys {
		list = append(list, formatChange{Since: k.Since, Keys: k.Names, Where: k.Where})
	}
	for _, c := range f.Changes {
		list = append(list, formatChange{Since: c.Since, Topic: c.Topic, Before: c.Before, After: c.After, Source: f.SourceOf(c), Named: c.Named})
	}
	return list
}

func versionCommand(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version [FORMAT]",
		Short: "Print the version of wfc, and of the formats that it reads",
		Long: `version prints the version of wfc, its commit if it was built in a checkout, and the
versions of the formats that wfc follows. With the name of a format, it prints the keys
and rules that each version of that format changed, and where each rule comes from.`,
		Args:      atMostOne,
		ValidArgs: compiler.Dialects(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.printVersion(asJSON)
			}
			if !slices.Contains(compiler.Dialects(), args[0]) {
				return &usageError{fmt.Errorf("unknown format `%s`%s", plain.Line(args[0]), plain.Instead(args[0], compiler.Dialects()))}
			}
			return a.printFormat(formats.Named(args[0]), asJSON)
		},
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
		SchemaVersion: 1, Version: buildVersion(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Formats: versionsOf(formats.All),
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
	for _, f := range versionsOf(formats.All) {
		rows = append(rows, []string{f.Format, f.Version, f.origin})
	}
	return s.writeTable(rows)
}

// A formatDocument is what --json prints for one format.
type formatDocument struct {
	SchemaVersion int             `json:"schema_version"`
	Formats       []formatVersion `json:"formats"`
	Changes       []formatChange  `json:"changes"`
}

func (a *app) printFormat(f *formats.Format, asJSON bool) error {
	d := formatDocument{1, versionsOf([]*formats.Format{f}), changesOf(f)}
	if asJSON {
		return a.printDocument(d)
	}
	var versions, keys, rules [][]string
	for _, v := range d.Formats {
		versions = append(versions, []string{v.Name, v.Version, v.origin})
	}
	for _, c := range d.Changes {
		if len(c.Keys) > 0 {
			keys = append(keys, []string{c.Since, c.Where, strings.Join(c.Keys, ", ")})
			continue
		}
		rules = append(rules, []string{c.Since, c.Topic + ": " + c.Before + " → " + c.After, c.Source})
	}
	for _, table := range [][][]string{versions, keys, rules} {
		if err := a.writeTable(table); err != nil {
			return err
		}
		if len(table) > 0 {
			fmt.Fprintln(a.Out)
		}
	}
	return nil
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
