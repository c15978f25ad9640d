package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/cli/commandline"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of wfc",
		Args:  commandline.NoArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprintln(a.Out, versionText())
			return err
		},
	}
}

// versionText says which wfc this is.
func versionText() string {
	return fmt.Sprintf("wfc %s %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the version that this program was built as.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
