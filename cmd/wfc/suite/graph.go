package suite

import (
	"maps"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
)

// exploredScenarios returns a scenario for each run to an edge of a state graph that the
// exploration found, based on the first scenario.
func (m *model) exploredScenarios(first *scenario, found *explore.Result) (list []*scenario) {
	tests, _ := found.Tests()
	for i := range tests {
		list = append(list, m.replayTest(first, &tests[i]))
	}
	return list
}

// replayTest returns the scenario of a run of the exploration.
func (m *model) replayTest(first *scenario, t *explore.Test) *scenario {
	s := first.clone()
	for name, value := range t.Inputs {
		at := slot{"inputs", name}
		if p := m.producers[at]; p != nil && schemaAllows(p.shape, value) {
			s.lists[at] = []give{{data: value}}
		}
	}
	given := map[slot][]give{}
	var visit func(v *explore.Visit)
	visit = func(v *explore.Visit) {
		pl := m.top.places[v.Node.ID]
		if pl == nil {
			return
		}
		for _, answer := range v.Before {
			given[slot{"answers", pl.key + "/before"}] = append(given[slot{"answers", pl.key + "/before"}], interruptGive(answer))
		}
		if v.Label != "" || v.Give.Fails {
			m.visitGives(pl, v, given)
		}
		for _, answer := range v.After {
			given[slot{"answers", pl.key + "/after"}] = append(given[slot{"answers", pl.key + "/after"}], interruptGive(answer))
		}
		for i := range v.Branches {
			visit(&v.Branches[i])
		}
		if v.Label != "" {
			text := displayKey(pl.key) + " ends with " + v.Label
			if len(v.Node.Labels) < 2 {
				text = ""
			}
			s.flips = append(s.flips, flip{slot: slot{"visit", pl.key}, at: v.Number, text: text})
		}
	}
	for i := range t.Visits {
		visit(&t.Visits[i])
	}
	maps.Copy(s.lists, given)
	return s
}

// visitGives adds the gives of a visit.
func (m *model) visitGives(pl *place, v *explore.Visit, given map[slot][]give) {
	add := func(kind string, g give) {
		at := slot{kind, pl.key}
		given[at] = append(given[at], g)
	}
	switch a := pl.node.Action.(type) {
	case *ir.Prompt:
		m.addAgentGives(v, func(g give) { add("agents", g) })
	case *ir.Join:
		if a.Prompt != nil {
			m.addAgentGives(v, func(g give) { add("agents", g) })
		}
	case *ir.Bash:
		g := give{data: v.Give.Text, exit: v.Give.Exit}
		if v.Give.Late {
			g = give{data: v.Give.Text, delay: "240h"}
		}
		if v.Give.Fails {
			g = give{fail: "It failed.", exit: 1}
		}
		add("bash", g)
	case *ir.Human:
		g := give{choice: v.Label, text: v.Give.Text}
		if v.Give.Text == v.Label {
			g.text = ""
		}
		add("answers", g)
	}
}

func (m *model) addAgentGives(v *explore.Visit, add func(give)) {
	if v.Give.Fails {
		add(give{fail: "It failed.", class: "fatal"})
		return
	}
	add(give{data: v.Give.Text})
	if v.Give.Again != "" {
		add(give{data: v.Give.Again})
	}
}

func interruptGive(answer string) give {
	if answer == "yes" {
		return give{choice: "continue"}
	}
	return give{choice: answer}
}
