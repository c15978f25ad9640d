package conformance

import (
	"encoding/json"
	"strings"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
)

// finished ends the loop around a text.
const finished = "wfc-finished"

// atHome plans a case with variables that have a value in loops or after
// rejections only: its text is the prompt of a loop's second iteration, or of
// the turn after a rejection.
func (in *varsCase) atHome(b *bench, want *string) plan {
	var action nodeText
	var key string
	replies := "{}"
	var steps []runner.Step
	asks := map[string]any{"prompt": framed(in.Template)}
	switch {
	case in.RejectionReason != "" && in.LoopUserInput+in.LoopPrevOutput != "":
		return skipped("no text has values for both, a loop and a rejection")
	case in.RejectionReason != "":
		key = reader + "/rework#1"
		action = nodeText{{"approval", jsonText(map[string]any{"message": "m", "on_reject": asks})}}
		steps = []runner.Step{{Choice: "reject", Text: in.RejectionReason}}
	case in.LoopPrevOutput == "" && strings.Contains(in.Template, "$LOOP_PREV_OUTPUT"):
		return skipped("an iteration after another has what that said")
	default:
		key = reader + "#2"
		asks["until"], asks["max_iterations"] = finished, 2
		if in.LoopUserInput != "" {
			asks["interactive"], asks["gate_message"] = true, "m"
			steps = []runner.Step{{Choice: "approve", Text: in.LoopUserInput}}
		}
		action = nodeText{{"loop", jsonText(asks)}}
		first := in.LoopPrevOutput
		if first == "" {
			first = "something"
		}
		replies = jsonText(map[string][]string{reader: {first, finished}})
	}
	s := newStage("", nil, action)
	s.job.Run, s.job.Inputs, s.job.Steps, s.job.Replies = in.runInfo(), inputs(in.UserMessage, in.IssueContext), steps, json.RawMessage(replies)
	return b.readingAs(s, key, want)
}
