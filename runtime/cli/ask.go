package cli

import (
	"context"
	"os"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// matchChoice is the choice of a question that words mean, beyond the choice itself.
// Only state graphs take more: at a gate nothing but its word approves.
func (v *shown) matchChoice(q engine.Question, words string) (choice string, ok bool) {
	if v.def.Graph == nil {
		return "", false
	}
	return kernel.MatchQuestion(q.Key, words, q.Choices)
}

// newAsker returns what asks the person at the terminal, and what ends that; nil
// when there is no such person, or when it would be the run that answers itself.
// resumed is the run that this process goes on with, or "".
func (c *call) newAsker(f runFlags, show *progress, resumed string) (engine.Asker, func()) {
	none := func() {}
	if f.noAsk {
		return nil, none
	}
	terminal, ok := human.Open(c.streams.In, c.streams.Err)
	// The system tells at once that there is no terminal, but only file by file from whom
	// this process descends.
	if !ok || human.AnyRun() != "" || resumed != "" && c.mayNotAnswer(resumed) {
		return nil, none
	}
	mode := settings.Gates(actions.TermsOf(f.runSettings.encodeJSON(), c.program.Defaults.Gates.Mode).Gates)
	if mode == settings.GatesTerminal && !human.Controlling(terminal) {
		return nil, none
	}
	var token func(run, typed string) bool
	if mode == settings.GatesToken {
		if f.GateToken == nil {
			return nil, none // nobody knows it
		}
		token = c.tokenIs(f.GateToken)
	}
	show.attended = true
	asker := human.NewAsker(human.Config{
		Terminal: terminal, By: human.User(), From: human.Place(c.streams.In), Hold: show.holdTerminal,
		Choose: c.showOwn().matchChoice, Edit: c.newEditor(show), Folder: c.runFolder, Token: token, View: func(q engine.Question) human.View { return c.questionView(c.streams.Err, q.RunID) },
	})
	return asker, asker.Close
}

// newEditor returns what has the person at the terminal edit files, or nil when
// nobody is at one. Interrupts are the editor's meanwhile.
func (c *call) newEditor(show *progress) human.Editor {
	in, ok := c.streams.In.(*os.File)
	if !ok {
		return nil
	}
	out, ok := plain.File(c.streams.Err)
	if !ok {
		return nil
	}
	return func(ctx context.Context, path string) error {
		if show != nil {
			show.editing.Store(true)
			defer show.edited()
		}
		return human.RunEditor(ctx, c.processEnviron(), in, out, path)
	}
}

// runFolder returns the folder of a run, or "" if nothing is known of it.
func (c *call) runFolder(run string) string {
	folder, err := c.stateFolder()
	if err != nil {
		return "" // the command has failed of it before
	}
	return folder.RunDir(run)
}

// mayNotAnswer reports whether this process may not answer the questions of a run that
// nobody works on yet.
func (c *call) mayNotAnswer(run string) bool {
	folder, err := c.stateFolder()
	if err != nil {
		return true // the command is about to fail of it
	}
	for _, id := range append([]string{run}, folder.Descendants(run)...) {
		if human.Refuse(human.Run{ID: id, Mark: filelock.LastMark(folder.LeaseFile(id)), Dir: folder.RunDir(id)}) != nil {
			return true
		}
	}
	return false
}
