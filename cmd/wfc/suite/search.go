package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// A trial is a scenario that ran.
type trial struct {
	*scenario
	probe *testjob.Run
	// facts are the facts of the run that tests are chosen by.
	facts []string
}

// A search finds scenarios for the items of a program.
type search struct {
	model *model
	run   Runner
	first *scenario
	// items are the items to cover, and open those that no trial covers yet.
	items []cover.Item
	open  map[string]bool
	// trials are the valid ones that brought something new, in order.
	trials []*trial
	known  map[string]bool // facts
	tried  map[string]bool // candidates
	// questions are the choices of each question that a run asked.
	questions map[slot][]string
	found     *explore.Result
	// results are the results of the terms of a state graph that its exploration found.
	results map[expr.Expr]explore.Results
	count   int
	// invalid has the problems of candidates that cannot be tests.
	invalid map[string]int
}

func newSearch(m *model, run Runner) *search {
	return &search{
		model: m, run: run, open: map[string]bool{}, known: map[string]bool{}, tried: map[string]bool{},
		questions: map[slot][]string{}, invalid: map[string]int{},
	}
}

// Bounds of a search: candidates in all, in a round, and rounds.
const (
	mostCandidates = 4000
	mostInRound    = 500
	mostRounds     = 10
	mostRetries    = 6
)

func (s *search) startSearch() error {
	s.first = &scenario{lists: map[slot][]give{}, files: s.model.files}
	for _, at := range s.model.order {
		s.first.lists[at] = []give{s.model.baseGive(s.model.producers[at])}
	}
	if g, ok := s.model.program.Workflow.Body.(*ir.Graph); ok {
		s.found = explore.Run(g, explore.Options{})
		s.results = s.found.Terms()
	}
	if err := s.tryCandidates([]*scenario{s.first}); err != nil || s.found == nil {
		return err
	}
	return s.tryCandidates(s.model.exploredScenarios(s.first, s.found))
}

// runSearch runs the search.
func (s *search) runSearch() error {
	if err := s.startSearch(); err != nil {
		return err
	}
	if err := s.tryCandidates(s.singleChanges(s.first)); err != nil {
		return err
	}
	idle := 0
	for round := range mostRounds {
		if len(s.open) == 0 && round > 0 || s.count >= mostCandidates || idle == s.maxIdleRounds() {
			break
		}
		before := len(s.open)
		if err := s.tryCandidates(s.roundCandidates(round)); err != nil {
			return err
		}
		if idle++; len(s.open) < before {
			idle = 0
		}
	}
	return nil
}

// maxIdleRounds is the number of rounds without success after which the search ends. The
// exploration of a state graph leaves little to find.
func (s *search) maxIdleRounds() int {
	if s.found != nil {
		return 1
	}
	return 2
}

// roundCandidates returns candidates for the items that are open: their solutions applied to trials,
// and in later rounds single changes of trials, too.
func (s *search) roundCandidates(round int) (list []*scenario) {
	from := append([]*trial{}, s.trials...)
	slices.Reverse(from)
	if len(from) > 12 {
		from = append(from[:11], s.trials[0])
	}
	for _, it := range s.items {
		if !s.open[it.Name] && round > 0 {
			continue
		}
		solutions := s.model.solveItem(it)
		starts := []*scenario{s.first}
		if s.open[it.Name] {
			for _, t := range from {
				starts = append(starts, t.scenario)
			}
		}
		for _, start := range starts[:min(len(starts), 1+round*4)] {
			for _, flips := range solutions {
				list = append(list, start.withFlips(flips...))
				if round > 0 && len(flips) > 0 {
					once := slices.Clone(flips)
					for i := range once {
						if once[i].slot.kind != "inputs" {
							once[i].at = round - 1
						}
					}
					list = append(list, start.withFlips(once...))
				}
			}
		}
	}
	if round > 0 {
		for _, t := range from {
			list = append(list, s.singleChanges(t.scenario)...)
		}
	}
	return list
}

// singleChanges returns a scenario with each change of a single slot.
func (s *search) singleChanges(start *scenario) (list []*scenario) {
	for _, at := range s.model.order {
		for _, f := range s.model.allFlips(s.model.producers[at]) {
			list = append(list, s.flipVariants(start, f)...)
		}
	}
	for _, at := range s.questionSlots() {
		for _, f := range s.possibleAnswers(at) {
			list = append(list, s.flipVariants(start, f)...)
		}
	}
	return list
}

// flipVariants returns a scenario with a change everywhere, and with a change of the first or
// second give where a slot can be used more than once.
func (s *search) flipVariants(start *scenario, f flip) []*scenario {
	list := []*scenario{start.withFlips(f)}
	p := s.model.producers[f.slot]
	if f.at == every && (f.slot.kind == "answers" || p != nil && p.repeats) {
		for at := range 2 {
			once := f
			once.at = at
			once.text += [...]string{" first", " the second time"}[at]
			list = append(list, start.withFlips(once))
		}
	}
	return list
}

// questionSlots returns the slots of questions, in order.
func (s *search) questionSlots() []slot {
	return slices.SortedFunc(maps.Keys(s.questions), func(a, b slot) int { return strings.Compare(a.key, b.key) })
}

// possibleAnswers returns the answers to a question.
func (s *search) possibleAnswers(at slot) (list []flip) {
	name := displayKey(at.key)
	for _, choice := range s.questions[at] {
		to := give{choice: choice}
		switch choice {
		case "reject", "feedback":
			to.text = "Please change it."
		case "edit":
			to.text = s.editedOutput(at)
		case "signal":
			to.text = `{"ok": true}`
		}
		list = append(list, flip{slot: at, at: every, to: to, text: name + " gets " + choice})
	}
	return append(list, flip{slot: at, at: every, to: give{}, text: name + " gets no answer"})
}

// editedOutput returns an output for the answer `edit`: that of the reviewed step, changed.
func (s *search) editedOutput(at slot) string {
	key := strings.TrimSuffix(at.key, "/review")
	for _, kind := range []string{"agents", "bash", "scripts"} {
		gives := s.first.lists[slot{kind, key}]
		if len(gives) == 0 {
			continue
		}
		if text, ok := gives[0].data.(string); ok && !gives[0].structured {
			return text + " Edited."
		}
		return encodeJSON(gives[0].data)
	}
	return "Edited."
}

// tryCandidates runs candidates that are new, and keeps those that bring something new.
func (s *search) tryCandidates(list []*scenario) error {
	for range mostRetries {
		var batch []*scenario
		var texts []string
		for _, c := range list {
			for at, gives := range s.first.lists {
				if _, ok := c.lists[at]; !ok {
					c.lists[at] = gives
				}
			}
			text := c.candidateJSON()
			if s.tried[text] || s.count >= mostCandidates || len(batch) >= mostInRound {
				continue
			}
			s.tried[text] = true
			s.count++
			batch, texts = append(batch, c), append(texts, text)
		}
		if len(batch) == 0 {
			return nil
		}
		probes, err := s.run(texts)
		if err != nil {
			return err
		}
		if len(probes) != len(batch) {
			return fmt.Errorf("the test program ran %d of %d candidates", len(probes), len(batch))
		}
		list = nil
		if s.items == nil {
			s.listItems(probes[0])
		}
		for i, p := range probes {
			if s.discoverSlots(p) {
				list = append(list, batch[i])
				continue
			}
			s.keepTrial(&trial{scenario: batch[i], probe: p})
		}
	}
	return nil
}

// listItems sets the items to cover. A run knows the places of terms.
func (s *search) listItems(p *testjob.Run) {
	counts := cover.Counts{Terms: map[string][2]uint64{}}
	for place := range p.Terms {
		counts.Terms[place] = [2]uint64{}
	}
	s.items = cover.Of(s.model.program, counts)
	for _, it := range s.items {
		if _, proven := s.whyUnreachable(it); !proven {
			s.open[it.Name] = true
		}
	}
}

// discoverSlots adds slots for the actions and questions of a run that had none, and reports
// whether there were any.
func (s *search) discoverSlots(p *testjob.Run) (more bool) {
	for _, step := range p.Steps {
		kind := stepKinds[step.Kind]
		if kind == "" || step.Wait == "time" {
			continue
		}
		at := slot{kind, step.Name}
		if _, ok := s.first.lists[at]; ok {
			continue
		}
		if owner := (slot{kind, step.Node}); kind != "answers" && s.first.lists[owner] != nil {
			continue
		}
		more = true
		switch {
		case kind != "answers":
			pr := &producer{slot: at, repeats: true, test: step.Test}
			s.model.addProducer(pr)
			s.first.lists[at] = []give{s.model.baseGive(pr)}
			continue
		case len(step.Choices) == 0:
			s.questions[at] = []string{}
			s.first.lists[at] = []give{{text: "An answer."}}
			continue
		}
		s.questions[at] = step.Choices
		best := step.Choices[0]
		for _, choice := range []string{"accept", "approve", "signal"} {
			if slices.Contains(step.Choices, choice) {
				best = choice
			}
		}
		s.first.lists[at] = []give{{choice: best}}
		if best == "signal" {
			s.first.lists[at][0].text = `{"ok": true}`
		}
	}
	return more
}

// keepTrial keeps a trial that brings a new fact.
func (s *search) keepTrial(t *trial) {
	if !t.probe.Valid() {
		for _, problem := range t.probe.Problems {
			s.invalid[problem]++
		}
		return
	}
	t.facts = s.factsOf(t)
	brings := false
	for _, fact := range t.facts {
		if !s.known[fact] {
			s.known[fact], brings = true, true
		}
		delete(s.open, fact)
	}
	if brings {
		s.trials = append(s.trials, t)
	}
}

// factsOf returns the facts of a run.
func (s *search) factsOf(t *trial) (facts []string) {
	p := t.probe
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	for name, n := range p.Hits {
		if n > 0 && (s.isItem(name) || !strings.HasPrefix(name, "loop ") && !strings.HasPrefix(name, "way ")) {
			facts = append(facts, name)
		}
	}
	for place, n := range p.Terms {
		for i, result := range []string{"false", "true"} {
			if n[i] > 0 {
				add("term %s %s", place, result)
			}
		}
	}
	facts = append(facts, s.model.leafVectors(p)...)
	add("run %s %s", p.Status, firstWord(p.Reason))
	for _, n := range p.Nodes {
		add("end %s %s %s %d", n.Key, n.Status, firstWord(n.Reason), n.Attempts)
	}
	for key, n := range p.Iterations {
		add("iterations %s %d", key, min(n, 3))
	}
	facts = append(facts, s.model.dependencyFacts(p)...)
	for _, step := range p.Steps {
		if step.Kind == kindQuestion {
			add("answer %s %s", step.Name, step.Choice)
		}
	}
	used := t.usedSteps()
	for _, f := range t.flips {
		if f.slot.kind == "inputs" || used[f.slot.key] {
			add("value %s %s %v %s", f.slot.kind, f.slot.key, f.path, encodeJSON(f.to.testFileValue(f.slot.kind)))
		}
	}
	slices.Sort(facts)
	return slices.Compact(facts)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

func (s *search) isItem(name string) bool {
	return slices.ContainsFunc(s.items, func(it cover.Item) bool { return it.Name == name })
}
