package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/engine/local"
)

// elsewhereVariable is set in the environment of a build that another one
// called to resume a run, so that two builds that are both not the right one do
// not call each other forever.
const elsewhereVariable = "WFC_RESUMED_FOR"

// resumeElsewhere goes on in the binary that the run began with, called by argv.
func (a *app) resumeElsewhere(other *local.OtherBuildError, argv []string) error {
	if os.Getenv(elsewhereVariable) == other.Run {
		return failed(fmt.Errorf("the build %s, kept for run %s, is not the one that the run began with; resume it with --force to move it to this build", other.Executable, other.Run))
	}
	fmt.Fprintf(a.streams.Err, "%s: run %s goes on in the build that it began with\n", a.name, other.Run)
	environ := a.caller.passOn(append(os.Environ(), elsewhereVariable+"="+other.Run))
	if a.gateToken != "" {
		environ = append(environ, gateTokenVariable+"="+a.gateToken)
	}
	err := become(other.Executable, argv, environ)
	var exit *exitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	return failed(fmt.Errorf("the build that run %s began with cannot be started: %w; resume it with --force to move it to this one", other.Run, err))
}
