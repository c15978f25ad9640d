package shell

import (
	"runtime"
	"strings"
)

// gate stands in front of a script whose process starts before it may do anything; see
// process.Hold. It waits for a line on file 3, and closes that. If no line comes, the engine
// has died, and the script ends before its first command. The variable goes again, and `$_`
// is `$0`, as in a script that was started without that variable.
const gate = "{ read -r -u 3 __wfc_gate && exec 3<&-; } || exit 126; unset -v __wfc_gate; : \"$0\"; "

// holdable reports whether a script can wait behind the gate: bash must do nothing of its
// own before it, as some variables make it do, and no function of the environment may
// replace the commands of the gate.
func holdable(environ []string) bool {
	if runtime.GOOS == "windows" { // has no further files to hand down
		return false
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BASH_FUNC_") {
			return false
		}
		switch name {
		case "BASH_ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "BASH_XTRACEFD":
			return false
		}
	}
	return true
}
