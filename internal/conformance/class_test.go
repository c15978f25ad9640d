package conformance

import (
	"regexp"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// classes tell by a case and what wfc did there whether a rule explains it. A
// class must be sure: what it takes for a deviation is not looked at again.
var classes = map[string]func(c *recorded, diffs []difference) bool{
	"unsettled upstream":          unsettledUpstream,
	"condition that cannot parse": refusedFor("condition-syntax", "condition-operator", "condition-operand", "condition-incomplete", "condition-literal", "condition-path", "condition-quote"),
	"unknown node in a condition": refusedFor("unknown-node-in-condition"),
	"reference to a descendant":   refusedFor("descendant-reference", "self-reference"),
	"unknown node elsewhere":      unknownElsewhere,
	"wider conditions":            widerCondition,
	"failed producer":             failedProducer,
	"missing in an open object":   missingInOpenObject,
	"retry on a loop":             retryOnLoop,
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
			found := false
			for _, s := range slugs {
				found = found || s == slug
			}
			if !found {
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

// retryOnLoop: the loader refuses retry on a loop.
func retryOnLoop(c *recorded, diffs []difference) bool {
	return c.Op == "accept" && len(diffs) == 1 && diffs[0].got == "accepted" &&
		strings.Contains(diffs[0].want, "'retry' is not supported on loop")
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
