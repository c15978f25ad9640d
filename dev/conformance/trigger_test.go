package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/flow"
)

type triggerCase struct {
	Rule      *string
	Upstreams map[string]string
}

func planTrigger(b *bench, c *recorded) (plan, error) {
	var in triggerCase
	var want string
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	node := nodeText{{"id", reader}, {"bash", "'true'"}}
	if in.Rule != nil {
		node = append(node, [2]string{"trigger_rule", quote(*in.Rule)})
	}
	upstreams := slices.Sorted(maps.Keys(in.Upstreams))
	if len(upstreams) > 0 {
		node = append(node, [2]string{"depends_on", flowList(upstreams)})
	}
	yaml, results := upstreamNodes(upstreams, in.Upstreams)
	if yaml == "" && len(upstreams) > 0 {
		return judged([]difference{{"rule", want, "decides only when all upstream nodes are settled"}}), nil
	}
	r := compile(header+yaml+node.String(), nil)
	if r.HasErrors() {
		return judged([]difference{{"rule", want, refusal(r)}}), nil
	}
	return b.perform(r, runner.Job{Results: results}, func(out *runner.Outcome) []difference {
		got := "run"
		switch step := out.Step(reader); {
		case step.Status == flow.Skipped && step.Reason == "trigger_rule":
			got = "skip"
		case step.Status != flow.Completed:
			got = string(step.Status)
		}
		return same("rule", want, got)
	}), nil
}

// upstreamNodes are nodes that end in given states; "" when one of the states
// is none in which a node of wfc can be when the rule is applied.
func upstreamNodes(ids []string, states map[string]string) (yaml string, results map[string]flow.Result) {
	results = map[string]flow.Result{gate: {Status: flow.Completed, Text: "closed"}}
	var b strings.Builder
	b.WriteString(nodeText{{"id", gate}, {"bash", "'true'"}}.String())
	for _, id := range ids {
		n := nodeText{{"id", quote(id)}, {"bash", "'true'"}}
		switch state := flow.Status(states[id]); state {
		case flow.Completed:
			results[id] = flow.Result{Status: state}
		case flow.Failed:
			results[id] = flow.Result{Status: state, Failure: &flow.Failure{Message: "boom"}}
		case flow.Skipped:
			n = append(n, [2]string{"depends_on", flowList([]string{gate})}, [2]string{"when", quote("$" + gate + ".output == 'open'")})
		default:
			return "", nil
		}
		b.WriteString(n.String())
	}
	return b.String(), results
}

type layersCase struct {
	Nodes []struct {
		ID        string
		DependsOn []string `json:"depends_on"`
	}
}

func planLayers(_ *bench, c *recorded) (plan, error) {
	var in layersCase
	var want struct{ OK [][]string }
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	var yaml strings.Builder
	for _, n := range in.Nodes {
		node := nodeText{{"id", quote(n.ID)}, {"bash", "'true'"}}
		if len(n.DependsOn) > 0 {
			node = append(node, [2]string{"depends_on", flowList(n.DependsOn)})
		}
		yaml.WriteString(node.String())
	}
	r := compile(header+yaml.String(), nil)
	if r.HasErrors() {
		if want.OK == nil {
			return judged(nil), nil
		}
		return judged([]difference{{"layers", lists(want.OK), refusal(r)}}), nil
	}
	var infos []flow.NodeInfo
	for _, n := range r.Workflow.Workflow.Body.All() {
		info := flow.NodeInfo{Key: n.ID}
		for _, need := range n.Needs {
			info.After = append(info.After, need.Node.ID)
		}
		infos = append(infos, info)
	}
	return judged(same("layers", lists(want.OK), lists(draw.Layers(infos)))), nil
}

func lists(layers [][]string) string {
	if layers == nil {
		return fails
	}
	text, err := json.Marshal(layers)
	if err != nil {
		panic(err)
	}
	return string(text)
}
