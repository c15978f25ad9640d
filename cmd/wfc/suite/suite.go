// Package suite writes tests that cover a workflow: every edge, both results of each
// condition and of its terms, each answer of a person, each way to end a loop.
//
// A search finds the tests. A candidate is a scenario: a list of replies, results or
// answers for each place that asks for one. The search starts with a scenario in which
// everything succeeds. It derives changes to scenarios from the program: the values on
// both sides of each comparison, the values of enums, failures, late replies, rejections.
// For an item that is not covered yet, it solves the conditions on the way to the item
// backward. For a state graph, internal/explore has runs to every edge. A Runner runs the
// candidates on the simulated engine and reports what each one covered.
//
// A small set of the candidates that together cover everything becomes the test file. Their
// expectations are the results of their runs. An item that no candidate covers is reported
// with the reason.
package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// A Suite is a generated test file.
type Suite struct {
	// JSON is the content of the file in JSON, with the keys in the order of test files.
	JSON string
	// Tests is the number of its tests.
	Tests int
	// Items are the items of coverage, with the number of tests that cover them.
	Items []cover.Item
	// Missing are the items that no test covers.
	Missing []Missing
}

// A Missing is an item that no test covers.
type Missing struct {
	cover.Item
	// Reason says why. Proven means that no run can cover the item.
	Reason string
	Proven bool
}

// Generate returns tests of a program. workflow is the path of the workflow as the test
// file names it, or "".
func Generate(p *ir.Program, workflow string, run Runner) (*Suite, error) {
	s := newSearch(newModel(p), run)
	if err := s.runSearch(); err != nil {
		return nil, err
	}
	chosen := s.chooseTrials()
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no test of workflow `%s` can run%s", p.Workflow.Name, s.commonestProblem())
	}
	names := make([]string, len(chosen))
	taken := map[string]bool{}
	for i, t := range chosen {
		names[i] = t.chooseName(taken)
	}
	// A test that does not pass unchanged keeps only its status, or is removed.
	var tests []*object
	covered := map[string]int{}
	for _, brief := range []bool{false, true} {
		var texts []string
		var left []*trial
		var leftNames []string
		for i, t := range chosen {
			texts = append(texts, testFileJSON("", s.testItem(t, names[i], brief)))
		}
		if len(texts) == 0 {
			break
		}
		probes, err := run(texts)
		if err != nil {
			return nil, err
		}
		for i, again := range probes {
			if !again.Valid() {
				left, leftNames = append(left, chosen[i]), append(leftNames, names[i])
				s.invalid[strings.Join(again.Problems, "; ")]++
				continue
			}
			tests = append(tests, s.testItem(chosen[i], names[i], brief))
			t := &trial{scenario: chosen[i].scenario, probe: again}
			for _, fact := range s.factsOf(t) {
				covered[fact]++
			}
		}
		chosen, names = left, leftNames
	}
	suite := &Suite{JSON: testFileJSON(workflow, tests...), Tests: len(tests), Items: slices.Clone(s.items)}
	for i := range suite.Items {
		it := &suite.Items[i]
		if it.Hits = covered[it.Name]; it.Hits == 0 {
			reason, proven := s.whyUnreachable(*it)
			suite.Missing = append(suite.Missing, Missing{Item: *it, Reason: reason, Proven: proven})
		}
	}
	return suite, nil
}

// commonestProblem returns the most frequent problem of candidates, for a message.
func (s *search) commonestProblem() string {
	worst, most := "", 0
	for problem, n := range s.invalid {
		if n > most || n == most && problem < worst {
			worst, most = problem, n
		}
	}
	if worst == "" {
		return ""
	}
	return ": " + worst
}

// Percent returns the covered share of the items of a kind that are not proven to be out of
// reach; "" is every kind.
func (s *Suite) Percent(kind string) float64 {
	covered, all := 0, 0
	for _, it := range s.Items {
		if kind != "" && it.Kind != kind {
			continue
		}
		if it.Hits > 0 {
			covered++
		} else if slices.ContainsFunc(s.Missing, func(m Missing) bool { return m.Proven && m.Name == it.Name }) {
			continue
		}
		all++
	}
	if all == 0 {
		return 100
	}
	return 100 * float64(covered) / float64(all)
}

// A Runner runs candidates on the simulated engine and returns their runs in order. A
// candidate is a test file with one test, as JSON.
type Runner func(candidates []string) ([]*testjob.Run, error)

// kindQuestion is the kind of a step that asks a person.
const kindQuestion = "question"
