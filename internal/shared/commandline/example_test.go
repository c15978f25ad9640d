package commandline_test

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
)

func ExampleSetup() {
	root := &cobra.Command{Use: "notes", RunE: func(*cobra.Command, []string) error { return nil }}
	root.Flags().String("title", "", "the title of the note")
	commandline.Setup(root, "1.2.0")

	root.SetArgs([]string{"--titel", "today"})
	if err := root.Execute(); err != nil {
		fmt.Println("notes:", commandline.Explain(err))
	}
	// Output:
	// notes: unknown flag `--titel`; did you mean `--title`?
	// see `notes --help`
}
