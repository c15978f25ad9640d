//go:build unix

package crash

import (
	"fmt"
	"os"
	"strings"
)

// A trace is one line of the file of side effects.
type trace struct {
	what, key  string
	generation int
	process    string
}

func readTraces(path string) ([]trace, error) {
	content, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var list []trace
	for line := range strings.Lines(string(content)) {
		var t trace
		if _, err := fmt.Sscanf(line, "%s %s %d %s\n", &t.what, &t.key, &t.generation, &t.process); err != nil {
			return nil, fmt.Errorf("the line %q of the side effects: %w", line, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// checkTraces returns the faults in the side effects of one run: committed holds,
// for each step whose completion was durable, the generation after which that was
// known.
func checkTraces(list []trace, committed map[string]int) []string {
	var wrong []string
	running := map[string]trace{}
	latest := 0
	for i, t := range list {
		// A generation's first trace follows the end of everything that earlier
		// generations left running.
		if t.generation < latest {
			wrong = append(wrong, fmt.Sprintf("line %d: `%s` of generation %d (%s) acts beside generation %d", i+1, t.key, t.generation, t.what, latest))
		}
		latest = max(latest, t.generation)
		before, runs := running[t.key]
		switch t.what {
		case "start":
			if runs && before.generation == t.generation {
				wrong = append(wrong, fmt.Sprintf("line %d: `%s` starts while it runs in the same generation", i+1, t.key))
			}
			if known, ok := committed[t.key]; ok && t.generation > known {
				wrong = append(wrong, fmt.Sprintf("line %d: `%s` runs again in generation %d; its completion was durable in generation %d", i+1, t.key, t.generation, known))
			}
			running[t.key] = t
		case "end":
			if !runs || before.process != t.process {
				wrong = append(wrong, fmt.Sprintf("line %d: `%s` ends and another one of it runs", i+1, t.key))
			}
			delete(running, t.key)
		}
	}
	for _, t := range running {
		if t.generation == latest {
			wrong = append(wrong, fmt.Sprintf("`%s` of the last generation never ends", t.key))
		}
	}
	return wrong
}
