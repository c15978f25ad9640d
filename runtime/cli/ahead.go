package cli

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// launchAhead begins to make the sandbox of a run before anything else: it takes as long as all
// that a run does before its first step, and this process is copied for it, which takes less
// time while it is small. It looks at the arguments only roughly. What it launches in vain ends
// with this process, and a run launches what it did not.
func launchAhead(own *settings.Sandbox, args []string) {
	if len(args) == 0 || args[0] != "run" && args[0] != "resume" {
		return
	}
	var given runSettings
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if slices.Contains([]string{"-h", "--help", "--dry-run"}, arg) {
			return
		}
		if mode, ok := strings.CutPrefix(arg, "--sandbox="); ok {
			given.Sandbox = mode
		} else if arg == "--sandbox" {
			given.Sandbox = string(settings.SandboxOn)
		}
	}
	s := given.sandbox(*own)
	confine.Ahead(&s)
}
