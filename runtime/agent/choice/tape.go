package choice

import (
	"cmp"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
)

// replayed reports whether a recording answers in an agent's place.
func replayed(c engine.AgentChoice) bool { return c.Tape != nil && c.Tape.Replay != "" }

// taped reports whether anything is recorded or replayed.
func (o *opener) taped() bool { return len(o.recorders) > 0 || len(o.players) > 0 }

// load opens the tape of what is behind a name. With one that is replayed, that
// is all that is behind the name: the agent need not be there.
func (o *opener) load(b *behind, name string) (err error) {
	tape := b.choice.Tape
	switch {
	case tape == nil:
	case tape.Replay != "":
		if o.players[tape] == nil {
			p, err := recording.Play(tape)
			if err != nil {
				return err
			}
			o.players[tape] = p
		}
		b.player, b.found = o.players[tape], true
		b.agent = b.player.Agent(name)
	case tape.Record != "":
		if o.recorders[tape] == nil {
			if o.recorders[tape], err = recording.Open(tape); err != nil {
				return err
			}
		}
		b.recorder = o.recorders[tape]
	}
	return nil
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
