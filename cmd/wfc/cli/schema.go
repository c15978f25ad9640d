package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// A schemaKind is a kind of files that has a schema.
type schemaKind struct {
	name string
	make func(strict bool) []byte
}

// schemaKinds are the kinds of files in the order of the help.
func schemaKinds() []schemaKind {
	var list []schemaKind
	for _, dialect := range compiler.Dialects() {
		list = append(list, schemaKind{dialect, func(strict bool) []byte {
			text, _ := compiler.Schema(dialect, strict)
			return text
		}})
	}
	return append(list,
		schemaKind{"config", func(bool) []byte { return config.Schema() }},
		schemaKind{"test", func(bool) []byte { return testSchema() }})
}

// testSchema returns the schema of test files. wfc does not link their decoder, but it has
// the sources of the runtime, and the schema is one of its files.
func testSchema() []byte {
	text, err := fs.ReadFile(wfc.Module, "runtime/internal/testfile/schema.json")
	if err != nil {
		panic(err) // a test prints the schema
	}
	return text
}

// allSchemas is the argument for every kind.
const allSchemas = "all"

// schemaNames are the arguments of the command.
func schemaNames() []string {
	return append(plain.Texts(schemaKinds(), func(k schemaKind) string { return k.name }), allSchemas)
}

func schemaCommand(a *app) *cobra.Command {
	var strict bool
	var dir string
	names := schemaNames()
	cmd := &cobra.Command{
		Use:   "schema " + strings.Join(names, "|"),
		Short: "Print the JSON Schema of a format",
		Long: `schema prints the JSON Schema (draft 2020-12) of the workflow files of a format, of
wfc.yaml (config), or of test files (test). Editors check files by it, complete keys and show their
descriptions. The schema accepts unknown keys of workflows, as the original engines do;
--strict refuses them, except for keys that begin with x-.

With --output DIR, schema writes NAME.schema.json into the folder DIR. The argument all
writes one file for each format, for wfc.yaml and for test files. A comment at the top
of a file then names its schema:

  # yaml-language-server: $schema=schemas/archon.schema.json

A schema knows keys and values, but neither references nor flow: wfc check finds more.`,
		Example: "  wfc schema archon > archon.schema.json\n  wfc schema all --output schemas",
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fmt.Errorf("`wfc schema` needs a format: %s", strings.Join(names, ", "))
			case 1:
				if slices.Contains(names, args[0]) {
					return nil
				}
				return fmt.Errorf("unknown format `%s`%s", args[0], suggestionSuffix(args[0], names))
			}
			return fmt.Errorf("`wfc schema` takes one format; remove `%s`", args[1])
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("output") && dir == "" {
				return errors.New("--output needs a folder")
			}
			if args[0] == allSchemas && dir == "" {
				return errors.New("`wfc schema all` needs --output DIR, the folder for the files")
			}
			for _, k := range schemaKinds() {
				if args[0] != k.name && args[0] != allSchemas {
					continue
				}
				if dir == "" {
					_, err := a.Out.Write(k.make(strict))
					return err
				}
				if err := a.writeSchema(filepath.Join(dir, k.name+".schema.json"), k.make(strict)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse unknown keys of workflows")
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write the files into the folder `DIR`")
	return cmd
}

// schemaMark is in every schema that wfc writes.
const schemaMark = "Made by `wfc schema "

// writeSchema writes a schema, unless the file has it already. It does not replace a file
// that is not a schema.
func (a *app) writeSchema(path string, text []byte) error {
	old, err := wholefile.Source.Read(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && len(old) > 0 && !bytes.Contains(old, []byte(schemaMark)):
		return fmt.Errorf("%s is not a schema that wfc wrote: move it away, or choose another folder", plain.Line(path))
	case err == nil, errors.Is(err, fs.ErrNotExist):
		err = writeFile(path, text, "")
	}
	if err != nil {
		return fmt.Errorf("write the schema: %w", err)
	}
	fmt.Fprintf(a.Err, "wrote %s\n", plain.Line(path))
	return nil
}
