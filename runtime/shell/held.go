package shell

import (
	"runtime"
	"strings"
)

// gate stands in front of a script whose process starts before it may do anything; see
// process.Hold. It waits for a line on file 3, and closes that. If no line comes, the engine
// has died, and the script ends before its first command. The variable goes again, and `$_`
// is again the path of bash.
const gate = "{ builtin read -r -u 3 __wfc_gate && builtin exec 3<&-; } || builtin exit 126; builtin unset -v __wfc_gate; builtin : \"$BASH\"; "

// holdable reports whether a script can wait behind the gate: bash must do nothing of its
// own before, which it does for some variables.
func holdable(environ []string) bool {
	if runtime.GOOS == "windows" { // has no further files to hand down
		return false
	}
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "BASH_ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "BASH_XTRACEFD":
			return false
		}
	}
	return true
}
