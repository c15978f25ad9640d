package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// answerLine is a command line that answers a question, and what it says.
type answerLine struct{ choice, command string }

// answerLines are the command lines that answer a question beside others that
// are open, which have the names.
func (v *shown) answerLines(q engine.Question, names stepkey.Names) []answerLine {
	node := v.nodeOf(q.Key)
	if names.Means(node) > 1 {
		node = q.Key
	}
	choices := q.Choices
	if len(choices) == 0 {
		choices = []string{""}
	}
	decides := v.def.Graph == nil && slices.Contains(choices, kernel.ChoiceApprove) && !q.IsReview()
	lines := make([]answerLine, len(choices))
	for i, c := range choices {
		verb, rest := "answer", ""
		switch c {
		case kernel.ChoiceApprove, kernel.ChoiceReject:
			verb = c
		case kernel.ChoiceAccept:
			verb = kernel.ChoiceApprove
		case kernel.ChoiceEdit:
			rest = " --edit FILE"
		case kernel.ChoiceFeedback:
			rest = " --choice " + c + " -m WORDS"
		case "":
			rest = " -m WORDS"
		default:
			rest = " --choice " + plain.ShellWord(c)
			if decides {
				lines[i] = answerLine{c, fmt.Sprintf("%s %s --node %s%s", v.commandLine("answer", q.RunID), plain.ShellWord(c), plain.ShellWord(node), v.tokenHint()+v.stateHint())}
				continue
			}
		}
		lines[i] = answerLine{c, fmt.Sprintf("%s --node %s%s%s", v.commandLine(verb, q.RunID), plain.ShellWord(node), rest, v.tokenHint()+v.stateHint())}
	}
	if runerr.IsLoopGate(q.Key, q.Choices) { // the words are for the next iteration
		lines = append(lines, answerLine{"", fmt.Sprintf("%s --node %s -m WORDS%s", v.commandLine("answer", q.RunID), plain.ShellWord(node), v.tokenHint()+v.stateHint())})
	}
	return lines
}

// namesOf are the names of questions.
func namesOf(open []engine.Question) stepkey.Names {
	return stepkey.NamesOf(func(yield func(string) bool) {
		for i := range open {
			if !yield(open[i].Key) {
				return
			}
		}
	})
}

// ofNodes are the questions that a name given by a user means: a step, or all
// of a node.
func ofNodes(open []engine.Question, name string) []engine.Question {
	if i := slices.IndexFunc(open, func(q engine.Question) bool { return q.Key == name }); i >= 0 {
		return open[i : i+1]
	}
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool { return !stepkey.Matches(q.Key, name) })
}

func (v *shown) questionDocuments(open []engine.Question) []document.Question {
	list, names := make([]document.Question, 0, len(open)), namesOf(open)
	for _, q := range open {
		d := document.NewQuestion(q, v.nodeOf(q.Key))
		for _, c := range v.answerLines(q, names) {
			d.Commands = append(d.Commands, c.command)
		}
		list = append(list, d)
	}
	return list
}

// writeQuestion writes what a question asks, and how it is answered. names are those of all
// open questions of the run.
func (v *shown) writeQuestion(b *strings.Builder, q engine.Question, names stepkey.Names, of string, view human.View) {
	fmt.Fprintf(b, "  %s%s asks%s:\n", plain.Line(q.Key), of, human.Times(q, time.Now()))
	b.WriteString(view.Text(q.Question, "    "))
	lines := v.answerLines(q, names)
	widest := 0
	for _, l := range lines {
		widest = max(widest, len(l.choice))
	}
	b.WriteString("\n")
	for _, l := range lines {
		l.choice = cmp.Or(l.choice, "answer")
		fmt.Fprintf(b, "    %-*s %s\n", widest+1, plain.Line(l.choice)+":", plain.Line(l.command))
	}
}

// questionView says how the questions of a run are shown at out.
func (c *call) questionView(out io.Writer, run string) human.View {
	return human.View{Width: terminalWidth(out), Whole: c.commandLine("status", run) + c.stateHint() + " --full"}
}

// writeAllQuestions writes the open questions and waits of a run and of the runs below it.
func (s *session) writeAllQuestions(b *strings.Builder, f *family, id string, view func(run string) human.View) {
	by, _ := s.continuedBy(f.root)
	for _, r := range append([]*local.RunStatus{f.findRun(id)}, f.descendantRuns(id)...) {
		var one strings.Builder
		of := ""
		if r.ID != id {
			of = " of run " + r.ID
		}
		s.showRun(r).writeQuestions(&one, r, of, by, view(r.ID))
		for _, q := range r.Questions {
			if note := s.ruleNote(f, r, q); note != "" {
				fmt.Fprintf(&one, "  %s %s\n", plain.Line(q.Key), plain.Line(note))
			}
		}
		if b.Len() > 0 && one.Len() > 0 && !strings.HasSuffix(b.String(), "\n\n") {
			b.WriteString("\n")
		}
		b.WriteString(one.String())
	}
}

// gateRule returns the rule of a gate in words, or "", and who has approved if several people have
// to.
func (s *session) gateRule(f *family, r *local.RunStatus, q engine.Question) (words string, rule settings.GateRule, given []store.Answer) {
	terms := actions.TermsOf(f.root.Settings, "")
	rule = terms.Rule(r, q.Question)
	if rule.Approvals > 1 {
		given, _ = actions.Approvals(context.Background(), s.store, q) // the next look has them
	}
	return actions.RuleNote(rule), rule, given
}

// ruleNote says what the rule of a gate needs, and who has approved, or is "".
func (s *session) ruleNote(f *family, r *local.RunStatus, q engine.Question) string {
	note, rule, given := s.gateRule(f, r, q)
	if rule.Approvals < 2 {
		return note
	}
	for _, a := range given {
		note += "; " + runerr.Words(a)
	}
	return fmt.Sprintf("%s (%d of %d so far)", note, len(given), rule.Approvals)
}

// addRules adds to the documents of a run's questions what their rules need, and who has approved.
func (s *session) addRules(f *family, r *local.RunStatus, list []document.Question) {
	for i, q := range asksPeople(r.Questions) {
		words, _, given := s.gateRule(f, r, q)
		list[i].Needs = words
		for _, a := range given {
			list[i].Approvals = append(list[i].Approvals, document.Answer(a))
		}
	}
}

// writeQuestions writes the open questions and waits of a run, and the answers that it
// has not taken yet. of names the run if it is not the one that is shown, and by says who
// continues it.
func (v *shown) writeQuestions(b *strings.Builder, s *local.RunStatus, of, by string, view human.View) {
	names := namesOf(s.Questions)
	for i, q := range s.Questions {
		if i > 0 {
			b.WriteString("\n")
		}
		if q.Wait != "" {
			v.writeWait(b, q, of, by)
			continue
		}
		v.writeQuestion(b, q, names, of, view)
	}
	if note := v.attemptsNote(s.ID); note != "" {
		fmt.Fprintf(b, "  %s\n", note)
	}
	if len(s.Answers) == 0 {
		return
	}
	answers := make(map[string]store.Answer, len(s.Answers))
	for _, given := range s.Answers {
		answers[given.Key] = given // the store keeps one for a step
	}
	for _, step := range s.Steps {
		if step.Status == flow.Waiting {
			if given, ok := answers[step.Key]; ok {
				next := "the run continues with the answer when you resume it"
				if program := local.EmbeddedIn(s.Settings); program != "" {
					next = "the Go program " + plain.Line(program) + " continues the run by Engine.ResumeAll if it has the same version of the workflow"
				}
				fmt.Fprintf(b, "  %s was answered by %s; %s\n", plain.Line(step.Key), human.Line(runerr.Words(given)), next)
			}
		}
	}
}

// questionNotes are the questions and waits of a run in a few words each, with the nodes
// that they are of. of begins each; by says who continues the run.
func questionNotes(open []engine.Question, steps []flow.Record, of, by string) []string {
	if len(open) == 0 {
		return nil
	}
	notes, keys := make([]string, len(open)), stepkey.KeysOf(steps)
	for i, q := range open {
		if q.Wait != "" {
			notes[i] = waitNote(of+keys.Outermost(q.Key), q, by)
			continue
		}
		notes[i] = of + keys.Outermost(q.Key) + " asks: " + format.FirstLine(human.Printable(q.Message))
	}
	return notes
}

// questionNote says in a few words which nodes of a run ask something.
func (v *shown) questionNote(open []engine.Question) string {
	var nodes []string
	for _, q := range open {
		if node := v.nodeOf(q.Key); !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	if len(nodes) == 0 {
		return ""
	}
	return strings.Join(nodes, ", ") + " asks: " + format.FirstLine(human.Printable(open[0].Message))
}
