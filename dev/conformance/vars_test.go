package conformance

import (
	"encoding/json"
	"strings"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/runtime/flow"
)

type varsCase struct {
	Template, UserMessage, IssueContext            string
	WorkflowID, ArtifactsDir, BaseBranch, DocsDir  string
	LoopUserInput, RejectionReason, LoopPrevOutput string
	ShellSafe                                      bool
}

func (in *varsCase) runInfo() flow.RunInfo {
	return flow.RunInfo{ID: in.WorkflowID, ArtifactsDir: in.ArtifactsDir, BaseBranch: in.BaseBranch, DocsDir: in.DocsDir}
}

// inputs are the inputs of a run with a user's message and a context.
func inputs(message, context string) json.RawMessage {
	text, err := json.Marshal(map[string]string{"arguments": message, "context": context})
	if err != nil {
		panic(err)
	}
	return text
}

func planVars(b *bench, c *recorded) (plan, error) {
	var in varsCase
	var want struct{ OK *struct{ Prompt string } }
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	var text *string
	if want.OK != nil {
		text = &want.OK.Prompt
	}
	if in.ShellSafe {
		s := &shellText{template: in.Template, recorded: text, run: in.runInfo()}
		// The engine hands these to scripts as variables.
		s.env = []string{"ARGUMENTS=" + in.UserMessage, "USER_MESSAGE=" + in.UserMessage, "LOOP_USER_INPUT=", "LOOP_PREV_OUTPUT=", "REJECTION_REASON=",
			"CONTEXT=" + in.IssueContext, "EXTERNAL_CONTEXT=" + in.IssueContext, "ISSUE_CONTEXT=" + in.IssueContext}
		p, err := planShellText(b, s)
		if p.job != nil {
			p.job.Environ, p.job.Inputs = nil, inputs(in.UserMessage, in.IssueContext)
		}
		return p, err
	}
	if in.LoopUserInput+in.LoopPrevOutput+in.RejectionReason != "" {
		return in.atHome(b, text), nil
	}
	s := newStage("", nil, nodeText{{"prompt", quote(framed(in.Template))}})
	s.job.Run, s.job.Inputs = in.runInfo(), inputs(in.UserMessage, in.IssueContext)
	return b.reading(s, text), nil
}

// planContext compares whole prompts, to which the context is appended.
func planContext(b *bench, c *recorded) (plan, error) {
	var in varsCase
	var want struct{ OK *string }
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	s := newStage("", nil, nodeText{{"prompt", quote(in.Template)}})
	s.job.Inputs = inputs(in.UserMessage, in.IssueContext)
	r := compile(s.yaml, nil)
	if r.HasErrors() {
		return judged([]difference{{"text", failsOr(want.OK), refusal(r)}}), nil
	}
	return b.perform(r, s.job, func(out *runner.Outcome) []difference {
		return same("text", failsOr(want.OK), asked(out, reader, strings.Clone))
	}), nil
}
