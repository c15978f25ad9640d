package plain

import "fmt"

// ListTotal is the last line of a list of runs: what those in the list have used. more says that
// the list leaves out older runs.
func ListTotal(used string, shown int, more bool) string {
	if !more {
		return "in total: " + used
	}
	if shown == 1 {
		return "the run shown: " + used + "; -n 0 shows all"
	}
	return fmt.Sprintf("the %d shown: %s; -n 0 shows all", shown, used)
}
