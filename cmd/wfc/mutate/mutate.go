// Package mutate makes mutants of a workflow: copies that each have one small fault, such as
// a missing dependency or a negated condition. A test suite is good if its tests fail for
// the mutants.
//
// The typed program says where a fault can be and which faults are possible there. The fault
// itself is an edit of the YAML file, and the compiler makes the program of the mutant. So a
// mutant is always a workflow that somebody could have written, its difference is exact, and
// the checks of the compiler decide which mutants are not worth making.
//
// Combine puts the code of all mutants into the package of the workflow, which selects one
// at run time. So all mutants need one build.
package mutate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Classes of mutants.
const (
	Dependency = "dependency"
	Condition  = "condition"
	Guard      = "guard"
	Rule       = "trigger rule"
	Limit      = "limit"
	Retry      = "retry"
	Gate       = "gate"
	Order      = "edge order"
	Enum       = "enum value"
	Binding    = "binding"
)

// Reasons why a mutant is not made.
const (
	// Rejected mutants have an error of wfc check.
	Rejected = "rejected by wfc check"
	// Equivalent mutants behave as the workflow does.
	Equivalent = "equivalent"
	// Duplicate mutants behave as another mutant does.
	Duplicate = "same as another mutant"
	// Retyped mutants have other types of inputs, outputs or variables.
	Retyped = "changes a type"
)

// A Mutant is a workflow with one fault.
type Mutant struct {
	// ID is the number of the mutant in its file, from 1.
	ID int
	// Class is the kind of the fault, and Text describes it.
	Class, Text string
	// Node is the key of the node that has the fault, with dots between its parts, or "".
	Node string
	// Line is the line of the fault, from 1.
	Line int
	// Hint says which expectation would notice the mutant.
	Hint string
	// Content is the YAML of the mutant, and Program its compiled form.
	Content []byte
	Program *ir.Program
	// Facts are the names of facts of a run (see testrun.Hits) that show that a test comes
	// to the place of the fault: one of them is enough. None means every test does.
	Facts []string
	// Places are the numbers of the functions that differ; see Combine.
	Places []int
}

// NotMade counts mutants that are not made.
type NotMade struct {
	// Reason is one of the reasons above, and Text the proof of an equivalent mutant.
	Reason, Text string
	Class        string
	Line         int
}

// A Set has the mutants of a workflow.
type Set struct {
	Mutants []*Mutant
	NotMade []NotMade
}

// A Compiler compiles another content of the workflow's file; it returns nil if that has
// errors.
type Compiler func(content []byte) *ir.Program

// Of returns the mutants of a workflow in the order of the file.
func Of(p *ir.Program, compile Compiler) *Set {
	doc := yamlsrc.Parse(p.File, &diag.Bag{})
	if doc == nil || doc.Root == nil {
		return &Set{}
	}
	f := &finder{program: p, file: p.File, index: newIndex(doc)}
	f.visitWorkflow()
	slices.SortStableFunc(f.sites, func(a, b *site) int { return a.at - b.at })
	set := &Set{}
	seen := map[string]bool{p.Fingerprint(): true}
	own := map[string]bool{}
	for _, s := range f.sites {
		line := p.File.Position(s.at).Line
		not := func(reason, text string) {
			set.NotMade = append(set.NotMade, NotMade{Reason: reason, Text: text, Class: s.class, Line: line})
		}
		content := applyEdits(p.File.Content, s.edits)
		if own[string(content)] || bytes.Equal(content, p.File.Content) {
			continue // the same edit by another name
		}
		own[string(content)] = true
		if s.same != "" {
			not(Equivalent, s.same)
			continue
		}
		mutant := compile(content)
		if mutant == nil {
			not(Rejected, "")
			continue
		}
		print := mutant.Fingerprint()
		if print == p.Fingerprint() {
			not(Equivalent, "the program is the same")
			continue
		}
		if seen[print] {
			not(Duplicate, "")
			continue
		}
		seen[print] = true
		if s.mutant != nil {
			if proof := s.mutant(mutant); proof != "" {
				not(Equivalent, proof)
				continue
			}
		}
		if s.flow && sameWays(p, mutant, s.node, s.condition) {
			not(Equivalent, "every possible run takes the same path")
			continue
		}
		set.Mutants = append(set.Mutants, &Mutant{
			ID: len(set.Mutants) + 1, Class: s.class, Text: s.text, Node: s.node, Line: line, Hint: cmp.Or(s.hint, hints[s.class]),
			Content: content, Program: mutant, Facts: s.facts,
		})
	}
	return set
}

// hints name the expectations that notice a class of mutants.
var hints = map[string]string{
	Dependency: "`before` or `order` for the two nodes, or a test in which the dependency fails or is skipped and `skipped` lists the node",
	Condition:  "a test for the other result of the term, with `ran` and `skipped`",
	Guard:      "a test in which the guard does not hold, with `skipped`, `ran: {only: …}` or `iterations`",
	Rule:       "a test in which a dependency fails or is skipped, with `ran` or `skipped` for the node",
	Limit:      "a test that reaches the limit, with `iterations`, `attempts` or `status`",
	Retry:      "a test with a reply `{fail: …, class: transient}` before a good one, with `attempts`",
	Gate:       "`questions` for the gate, or a test that rejects",
	Order:      "a test in which both edges hold, with `order`",
	Enum:       "a test for each value, with `ran`, `skipped`, `state` or `outputs`",
	Binding:    "`prompts` with `contains` for the value, an output that contains it, or `snapshot: true`",
}

// A site is a place for a fault.
type site struct {
	class, node, text string
	at                int
	edits             []edit
	facts             []string
	// flow says that the fault changes only the way from the node to the next one in a
	// state graph.
	flow bool
	// condition says that it is in the condition of a decision.
	condition bool
	// mutant returns the proof that a mutant is equivalent, or "". It may be nil.
	mutant func(mutant *ir.Program) string
	// hint replaces that of the class if it is not "".
	hint string
	// same is the proof that the mutant is equivalent, or "".
	same string
}

// An edit replaces a part of the file.
type edit struct {
	start, end int
	text       string
}

func applyEdits(content []byte, edits []edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, e := range sorted {
		out.Write(content[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(content[at:])
	return out.Bytes()
}

// A finder collects the sites of a program.
type finder struct {
	program *ir.Program
	file    *source.File
	index   *index
	sites   []*site
}

func (f *finder) addSite(s *site) {
	if len(s.edits) > 0 {
		f.sites = append(f.sites, s)
	}
}

// isInFile reports whether a place is in the workflow's file.
func (f *finder) isInFile(at source.Span) bool {
	return at.IsValid() && at.File == f.file && at.End > at.Start
}

func (f *finder) sourceText(at source.Span) string { return string(f.file.Content[at.Start:at.End]) }

func quoteExcerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return "`" + text + "`"
}
