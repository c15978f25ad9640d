package conformance

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// classes tell by a case and what wfc did there whether a rule explains it. A
// class must be sure: what it takes for a deviation is not looked at again.
var classes = map[string]func(c *recorded, diffs []difference) bool{
	"unsettled upstream":          unsettledUpstream,
	"condition that cannot parse": refusedFor("condition-syntax", "unknown-operator", "condition-path"),
	"unknown node in a condition": notLango(refusedFor("unknown-node")),
	"reference to a descendant":   notLango(refusedFor("reference-order")),
	"unknown node elsewhere":      unknownElsewhere,
	"wider conditions":            widerCondition,
	"failed producer":             failedProducer,
	"missing in an open object":   missingInOpenObject,
	"output without its form":     withoutForm,
	"quotes of the engine":        engineQuotes,
	"ordering edge":               orderingEdge,
	"retry on every type":         retryEverywhere,
	"signal as a whole word":      wholeWord,
	"quirks of replacing":         replacingQuirk,
	"reference that stays text":   refusedFor("unknown-prompt"),

	"condition that is checked":          nowClass(refusedForCondition),
	"key that is misspelt":               refusedFor("wrong-key"),
	"sessions after a resume":            nowClass(sessionsKept),
	"numbers in conditions":              nowClass(numbersChecked),
	"inputs in every text":               nowClass(inputsEverywhere),
	"completed once":                     nowClass(completedOnce),
	"loops that go on":                   nowClass(loopsGoOn),
	"previous output after a gate":       nowClass(previousAfterGate),
	"resume without a completed node":    nowClass(resumedAnyway),
	"word in a reply":                    nowClass(wordEnds),
	"signal beside a value":              nowClass(signalOfText),
	"previous iteration that is checked": nowClass(previousChecked),
	"gate in a group":                    nowClass(gatesInside),
	"cause of a block":                   nowClass(skippedWithBlock),
	"parent of a rejected child":         nowClass(rejectedChild),
	"output_format of a child":           nowClass(refusedForKey("unsuitable-key", "output_format")),
	"call that is checked":               refusedFor("wrong-argument", "fan-out"),
	"conditions that are joined":         nowClass(acceptedFor("conditions-cannot-be-joined", "input-in-condition")),
	"named result":                       nowClass(namedResult),
	"order of reads":                     nowClass(waitsForReads),
	"container":                          nowClass(refusedForKey("unsupported-key", "container")),

	"dry run: a stub file":          nowClass(withoutOption(stubFileOption)),
	"dry run: default stubs":        nowClass(withoutOption(defaultStubsOption)),
	"dry run: pausing at gates":     nowClass(pausesAtGates),
	"dry run: approved gates":       nowClass(approvedGates),
	"dry run: stubs of schemas":     nowClass(stubsOfSchemas),
	"dry run: previous iteration":   nowClass(previousResolved),
	"dry run: inputs of blocks":     nowClass(inputsOfBlocks),
	"dry run: unknown inputs":       nowClass(inputsKnown),
	"dry run: stubs that are lists": nowClass(stubsThatAreLists),

	"condition or list that breaks":  stepClass("condition or list that breaks"),
	"arguments that nobody takes":    stepClass("arguments that nobody takes"),
	"values as code":                 stepClass("values as code"),
	"mistakes that the engine takes": stepClass("mistakes that the engine takes"),
	"typed inputs":                   stepClass("typed inputs"),
	"defaults of outputs":            stepClass("defaults of outputs"),
	"approved in every output":       stepClass("approved in every output"),
	"lines of joined texts":          stepClass("lines of joined texts"),
	"lists of prompts":               stepClass("lists of prompts"),
	"replies that are checked":       stepClass("replies that are checked"),
	"forms of prompts":               stepClass("forms of prompts"),
	"asked once":                     stepClass("asked once"),
	"answers that count":             stepClass("answers that count"),
	"bound, not spliced":             stepClass("bound, not spliced"),
	"random numbers":                 stepClass("random numbers"),
	"skipped for good":               stepClass("skipped for good"),
	"fields of skipped steps":        stepClass("fields of skipped steps"),

	"agents by configuration":     langoClass("agents by configuration"),
	"actions of Go templates":     langoClass("actions of Go templates"),
	"references that are checked": langoClass("references that are checked"),
	"schedules that are checked":  langoClass("schedules that are checked"),
	"targets that are checked":    langoClass("targets that are checked"),
	"targets once":                langoClass("targets once"),
	"runs that go on":             langoClass("runs that go on"),
	"no barrier between layers":   langoClass("no barrier between layers"),
	"cancelled steps":             langoClass("cancelled steps"),
	"one row a step":              langoClass("one row a step"),
	"later steps are skipped":     langoClass("later steps are skipped"),
}

// notLango makes a class of cases of other formats: lango has a rule for its own.
func notLango(is func(c *recorded, diffs []difference) bool) func(*recorded, []difference) bool {
	return func(c *recorded, diffs []difference) bool { return c.dialect != "lango" && is(c, diffs) }
}

// unsettledUpstream: the rule is recorded for states that upstream nodes of
// wfc never have when their rule is applied.
func unsettledUpstream(c *recorded, _ []difference) bool {
	var in triggerCase
	if c.Op != "trigger" || c.decode(&in, nil) != nil {
		return false
	}
	for _, state := range in.Upstreams {
		switch flow.Status(state) {
		case flow.Completed, flow.Failed, flow.Skipped:
		default:
			return true
		}
	}
	return false
}

// refusedFor makes a class of workflows that are refused for nothing but the
// given codes.
func refusedFor(slugs ...string) func(*recorded, []difference) bool {
	return func(_ *recorded, diffs []difference) bool {
		if len(diffs) != 1 {
			return false
		}
		list, ok := strings.CutPrefix(diffs[0].got, "refused: ")
		if !ok {
			return false
		}
		for slug := range strings.SplitSeq(list, ", ") {
			if !slices.Contains(slugs, slug) {
				return false
			}
		}
		return true
	}
}

// unknownElsewhere: the loader refuses a reference to an unknown node that is
// not in a condition.
func unknownElsewhere(c *recorded, diffs []difference) bool {
	return c.Op == "accept" && len(diffs) == 1 && diffs[0].got == "accepted" &&
		strings.Contains(diffs[0].want, "references unknown node")
}

// widerCondition: the condition uses parentheses, ! or double quotes.
func widerCondition(c *recorded, diffs []difference) bool {
	var in conditionCase
	if c.Op != "condition" || c.decode(&in, nil) != nil || diffs[0].want != unparsed {
		return false
	}
	bare := regexp.MustCompile(`'[^']*'|!=`).ReplaceAllString(in.Expr, "")
	return (diffs[0].got == isTrue || diffs[0].got == isFalse) && strings.ContainsAny(bare, `()!"`)
}

// failedProducer: the output of a failed node is read, which fails.
func failedProducer(c *recorded, diffs []difference) bool {
	if c.Op == "run" {
		return failedUpstream(c, diffs)
	}
	text, producers, ok := readProducers(c)
	if !ok || diffs[0].got != fails {
		return false
	}
	for _, ref := range references(text) {
		if producers[ref.node].State == flow.Failed {
			return true
		}
	}
	return false
}

// failedUpstream: all that differs is that nodes fail that read the output of
// a node of which the engine, too, says that it failed.
func failedUpstream(c *recorded, diffs []difference) bool {
	var in runCase
	var want runEnd
	if c.decode(&in, &want) != nil {
		return false
	}
	nodes := nodesOf(in.YAML, in.Files)
	for _, d := range diffs {
		id, ok := strings.CutPrefix(d.what, "node ")
		if !ok || d.got != string(flow.Failed) || !slices.ContainsFunc(references(nodes[id].text), func(ref reference) bool {
			return want.Nodes[ref.node].State == string(flow.Failed)
		}) {
			return false
		}
	}
	return true
}

// withoutForm: an output is read that has not the form that its node declares;
// the node that made it has failed.
func withoutForm(c *recorded, diffs []difference) bool {
	text, producers, ok := readProducers(c)
	if !ok || diffs[0].got != fails {
		return false
	}
	for _, ref := range references(text) {
		p := producers[ref.node]
		var fields map[string]any
		if p.DeclaredFields != nil && p.StructuredOutput == nil && json.Unmarshal([]byte(p.Output), &fields) != nil {
			return true
		}
	}
	return false
}

// engineQuotes: in a bash script the engine's value stands in quotes of its
// own, which are all that differs.
func engineQuotes(c *recorded, diffs []difference) bool {
	if c.Op != "refs" && c.Op != "run" {
		return false
	}
	bare := func(text string) string { return strings.NewReplacer("'", "", `\`, "").Replace(text) }
	for _, d := range diffs {
		if bare(d.want) != bare(d.got) || strings.Count(d.want, "'") < strings.Count(d.got, "'")+2 {
			return false
		}
	}
	return true
}

// missingInOpenObject: a field is read that an output has not whose schema
// says nothing of it.
func missingInOpenObject(c *recorded, diffs []difference) bool {
	text, producers, ok := readProducers(c)
	if !ok || diffs[0].got != fails {
		return false
	}
	for _, ref := range references(text) {
		p := producers[ref.node]
		if p.StructuredOutput == nil || p.DeclaredFields != nil || ref.field == "" {
			continue
		}
		fields, _ := decoded(string(p.StructuredOutput)).(map[string]any)
		if _, there := fields[ref.field]; !there {
			return true
		}
	}
	return false
}

// orderingEdge: all that differs are nodes that read one that they do not
// depend on, for which wfc waits.
func orderingEdge(c *recorded, diffs []difference) bool {
	var in runCase
	if c.Op != "run" || c.decode(&in, nil) != nil {
		return false
	}
	waits := map[string]bool{}
	for _, d := range compile(in.YAML, in.Files).Diagnostics {
		if d.Code.Slug == "undeclared-dependency" {
			waits[findingNode(d)] = true
		}
	}
	about := false
	for _, d := range diffs {
		id := strings.TrimPrefix(strings.TrimPrefix(d.what, "prompts of "), "node ")
		if d.what != "summary" && !waits[id] {
			return false
		}
		about = about || waits[id]
	}
	return about
}

// wholeWord: the engine's own rule agrees, and the other one takes the signal
// where it is a whole word, and not where it is a part of one.
func wholeWord(c *recorded, diffs []difference) bool {
	var in signalCase
	if c.Op != "signal" || len(diffs) != 1 || diffs[0].what != "word" || c.decode(&in, nil) != nil {
		return false
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(in.Signal) + `\b`).MatchString(in.Output)
	return diffs[0].got == fmt.Sprint(word)
}

// retryEverywhere: the engine refuses or ignores retry on a node that asks no
// agent.
func retryEverywhere(c *recorded, diffs []difference) bool {
	if c.now != nil && c.now.load != nil {
		return acceptedFor("retry-not-supported")(c.now, diffs)
	}
	if c.Op == "accept" {
		return diffs[0].got == "accepted" && strings.Contains(diffs[0].want, "'retry' is not supported on loop")
	}
	var in runCase
	if c.Op != "run" || c.decode(&in, nil) != nil {
		return false
	}
	nodes := nodesOf(in.YAML, in.Files)
	about := false
	for _, d := range diffs {
		id, ok := strings.CutPrefix(d.what, "node ")
		if !(ok && nodes[id].retried) && d.what != "status" && d.what != "summary" {
			return false
		}
		about = about || ok
	}
	return about
}

// replacingQuirk: JavaScript's replace takes `$$` and `$&` in the text that it
// puts in for orders, and makes `$` and what it replaces of them.
func replacingQuirk(c *recorded, diffs []difference) bool {
	if len(diffs) != 1 || diffs[0].what != "text" {
		return false
	}
	var in struct{ Template string }
	if c.decode(&in, nil) != nil {
		return false
	}
	want, err := strconv.Unquote(diffs[0].want)
	if err != nil {
		return false
	}
	got, err := strconv.Unquote(diffs[0].got)
	if err != nil {
		return false
	}
	for _, replaced := range append(regexp.MustCompile(`\$[a-zA-Z_][a-zA-Z0-9_.-]*`).FindAllString(in.Template, -1), "$&") {
		if strings.NewReplacer("$$", "$", "$&", replaced).Replace(got) == want {
			return true
		}
	}
	return false
}

// A nodeFact is what classes ask of a node of a run.
type nodeFact struct {
	// text is the node's definition.
	text string
	// retried says that a node that asks no agent is to be tried again.
	retried bool
}

func nodesOf(yaml string, files map[string]string) map[string]nodeFact {
	facts := map[string]nodeFact{}
	p := compile(yaml, files).Workflow
	if p == nil {
		return facts
	}
	for _, n := range p.Workflow.Body.All() {
		_, prompt := n.Action.(*ir.Prompt)
		facts[n.ID] = nodeFact{n.Span.Text(), n.Retry != nil && !prompt}
	}
	return facts
}

// readProducers returns the text of a case that reads producers.
func readProducers(c *recorded) (text string, producers map[string]producer, ok bool) {
	switch c.Op {
	case "condition":
		var in conditionCase
		err := c.decode(&in, nil)
		return in.Expr, in.Outputs, err == nil
	case "refs":
		var in refsCase
		err := c.decode(&in, nil)
		return in.Template, in.Outputs, err == nil
	}
	return "", nil, false
}

type reference struct{ node, field string }

// references finds references by the engine's pattern, and the short form that
// conditions have.
func references(text string) (list []reference) {
	pattern := regexp.MustCompile(`\$([a-zA-Z_][a-zA-Z0-9_-]*)\.(?:output(?:\.([a-zA-Z_][a-zA-Z0-9_]*))?|([a-zA-Z_][a-zA-Z0-9_]*))`)
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		list = append(list, reference{m[1], m[2] + m[3]})
	}
	return list
}
