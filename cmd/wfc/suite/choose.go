package suite

import (
	"fmt"
	"slices"
	"strings"
)

// mostTests bounds the tests of a file.
const mostTests = 120

// itemWeight is the weight of a fact that is an item of coverage, beside other facts.
const itemWeight = 20

// chooseTrials returns a small set of trials that together have all facts: again and again the
// one that brings most for its size.
func (s *search) chooseTrials() (chosen []*trial) {
	items := map[string]bool{}
	for _, it := range s.items {
		items[it.Name] = true
	}
	missing := map[string]bool{}
	for fact := range s.known {
		missing[fact] = true
	}
	left := slices.Clone(s.trials)
	for len(missing) > 0 && len(chosen) < mostTests {
		best, most := -1, 0.0
		for i, t := range left {
			worth := 0.0
			for _, fact := range t.facts {
				if missing[fact] && items[fact] {
					worth += itemWeight
				} else if missing[fact] {
					worth++
				}
			}
			if worth /= float64(4 + len(t.flips)); worth > most {
				best, most = i, worth
			}
		}
		if best < 0 {
			break
		}
		t := left[best]
		chosen = append(chosen, t)
		left = slices.Delete(left, best, best+1)
		for _, fact := range t.facts {
			delete(missing, fact)
		}
	}
	return chosen
}

// longestName bounds the names of tests.
const longestName = 110

// chooseName describes the way of a trial.
func (t *trial) chooseName(taken map[string]bool) string {
	used := t.usedSteps()
	var parts []string
	for _, f := range t.flips {
		if f.text != "" && (f.slot.kind == "inputs" || f.slot.kind == "visit" || used[f.slot.key]) && !slices.Contains(parts, f.text) {
			parts = append(parts, f.text)
		}
	}
	name := strings.Join(parts, ", ")
	for len(name) > longestName && len(parts) > 2 {
		middle := len(parts) / 2
		parts = append(parts[:middle-1], parts[middle:]...)
		name = strings.Join(parts[:middle-1+len(parts)%2], ", ") + ", …, " + strings.Join(parts[middle-1+len(parts)%2:], ", ")
	}
	end := map[string]string{"failed": "the run fails", "paused": "the run waits", "cancelled": "the run is cancelled", "limit_reached": "the run reaches a limit"}[t.probe.Status]
	switch {
	case name == "" && end == "":
		name = "every step succeeds"
	case name == "":
		name = end
	case end != "":
		name += ": " + end
	}
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s (%d)", name, n)
	}
	taken[unique] = true
	return unique
}

// usedSteps returns the names and nodes of the steps that the run performed.
func (t *trial) usedSteps() map[string]bool {
	used := map[string]bool{}
	for _, step := range t.probe.Steps {
		used[step.Name], used[step.Node] = true, true
	}
	return used
}

// stepKinds are the kinds of slots by the kinds of steps.
var stepKinds = map[string]string{"prompt": "agents", "bash": "bash", "script": "scripts", kindQuestion: "answers"}

// countUses counts how often the run used the gives of a slot.
func (t *trial) countUses(at slot) (n int) {
	for _, step := range t.probe.Steps {
		kind := stepKinds[step.Kind]
		if kind != at.kind || step.Name != at.key && step.Node != at.key {
			continue
		}
		if step.Name != at.key {
			if _, own := t.lists[slot{kind, step.Name}]; own {
				continue
			}
		}
		if kind == "agents" {
			n += len(step.Prompts)
		} else {
			n++
		}
	}
	return n
}
