package choice

import (
	"cmp"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
)

// load opens the tape of the agents, if there is one.
func (o *opener) load() (err error) {
	switch {
	case o.tape == nil:
	case o.tape.Replay != "":
		o.player, err = recording.Play(o.tape)
	case o.tape.Record != "":
		o.recorder, err = recording.Open(o.tape)
	}
	return err
}

// record records a turn of an agent whose turns are recorded.
func (p *prompts) record(r *agent.Request, reply *agent.Reply, f *flow.Failure) error {
	b := p.agents[r.Agent]
	if b == nil || b.recorder == nil {
		return nil
	}
	return b.recorder.Turn(r, reply, f, recording.Source{Kind: b.choice.Kind, Native: b.agent.Capabilities().Structured})
}

// failed notes that an attempt at a step has failed.
func (p *prompts) failed(call *engine.Call) {
	prompt, _ := call.Action.Payload.(flow.Prompt)
	b := p.agents[cmp.Or(prompt.Agent, p.only)]
	if b == nil {
		return
	}
	var err error
	switch {
	case b.recorder != nil:
		err = b.recorder.Failed(call.Run.ID, call.Action.Key)
	case b.player != nil:
		err = b.player.Failed(call.Dir, call.Action.Key)
	}
	if err != nil {
		call.Log.Warn("that the attempt failed was not noted for the recording", "error", err.Error())
	}
}
