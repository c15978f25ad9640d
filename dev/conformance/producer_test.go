package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A producer is a node whose end a case prescribes.
type producer struct {
	State            flow.Status
	Output           string
	StructuredOutput json.RawMessage
	DeclaredFields   *[]string
	Error            string
}

const (
	reader = "wfc-reader" // the node that a case is about
	gate   = "wfc-gate"   // completes with "closed"
)

// A stage is a workflow around one node: producers that end as a case says,
// and the node that reads them.
type stage struct {
	yaml string
	job  runner.Job
}

// newStage puts the reader behind the producers that its text can mean. A
// pending producer is one that comes after its reader: nothing else makes wfc
// read a node that has not run.
func newStage(text string, producers map[string]producer, action nodeText) *stage {
	var before, after, needs []string
	results := map[string]flow.Result{}
	gated := false
	for _, id := range slices.Sorted(maps.Keys(producers)) {
		p := producers[id]
		if !strings.Contains(text, id) {
			continue
		}
		n := nodeText{{"id", quote(id)}, {"prompt", "produce"}}
		if schema := p.schema(); schema != "" {
			n = append(n, [2]string{"output_format", schema})
		}
		switch p.State {
		case "pending":
			n = append(n, [2]string{"depends_on", flowList([]string{reader})})
			after = append(after, n.String())
			continue
		case flow.Skipped:
			gated = true
			n = append(n, [2]string{"depends_on", flowList([]string{gate})}, [2]string{"when", quote("$" + gate + ".output == 'open'")})
		default:
			results[id] = p.result()
		}
		before = append(before, n.String())
		needs = append(needs, id)
	}
	if gated {
		results[gate] = flow.Result{Status: flow.Completed, Text: "closed"}
		before = append(before, nodeText{{"id", gate}, {"bash", "'true'"}}.String())
	}
	action = append(nodeText{{"id", reader}}, action...)
	if len(needs) > 0 {
		action = append(action, [2]string{"depends_on", flowList(needs)}, [2]string{"trigger_rule", "all_done"})
	}
	return &stage{
		yaml: header + strings.Join(before, "") + action.String() + strings.Join(after, ""),
		job:  runner.Job{Results: results, Run: flow.RunInfo{BaseBranch: "main"}},
	}
}

// schema is the producer's output_format, or "".
func (p *producer) schema() string {
	if p.DeclaredFields == nil {
		if p.StructuredOutput != nil {
			return "{type: object}"
		}
		return ""
	}
	var values map[string]any
	_ = json.Unmarshal(p.StructuredOutput, &values) // nothing structured is no field
	var fields []string
	for _, name := range *p.DeclaredFields {
		fields = append(fields, quote(name)+": "+fieldSchema(values[name]))
	}
	return "{type: object, properties: {" + strings.Join(fields, ", ") + "}}"
}

// fieldSchema is the schema of a field of which one value is known.
func fieldSchema(v any) string {
	switch v.(type) {
	case string:
		return "{type: string}"
	case float64:
		return "{type: number}"
	case bool:
		return "{type: boolean}"
	}
	return "{}"
}

// result is how the producer's action ends.
func (p *producer) result() flow.Result {
	text := p.Output
	if p.StructuredOutput != nil {
		var b bytes.Buffer
		if json.Compact(&b, p.StructuredOutput) == nil {
			text = b.String()
		}
	}
	if p.State == flow.Failed {
		return flow.Result{Status: flow.Failed, Text: text, Failure: &flow.Failure{Message: p.Error}}
	}
	return flow.Result{Status: p.State, Text: text}
}
