package cli

import (
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/human"
)

// asker returns what asks the person at the terminal, and what ends that; nil
// when there is no such person, or when it would be the run that answers itself.
// resumed is the run that this process goes on with, or "".
func (a *app) asker(f runFlags, show *progress, resumed string) (engine.Asker, func()) {
	none := func() {}
	if f.noAsk || resumed != "" && human.StartedBy(resumed, 0) {
		return nil, none
	}
	terminal, ok := human.Open(a.streams.In, a.streams.Err)
	if !ok {
		return nil, none
	}
	show.attended = true
	asker := human.NewAsker(human.Config{
		Terminal: terminal, By: human.User(), From: human.Place(a.streams.In), Hold: show.hold,
	})
	return asker, asker.Close
}
