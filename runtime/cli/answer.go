package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// reply is a call of one of the commands that answer a question.
type reply struct {
	runFlags
	// verb is the command; choice is what it says, or what --choice does.
	verb, choice  string
	node, message string
	// edit is the file with what is to take the place of an output, or "".
	edit     string
	noResume bool
	// token is the run's gate token, or "".
	token string
	// wait is the kind of waits that the command ends; "" means that it answers questions.
	// event is the name of the event.
	wait  flow.WaitKind
	event string
}

// matchingQuestions are the open questions that the command is for.
func (r *reply) matchingQuestions(open []engine.Question) []engine.Question {
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool {
		return !r.endsWait(q.Wait) || r.event != "" && q.Message != r.event
	})
}

// endsWait reports whether the command is for questions of a kind. `wake` ends every wait that a
// person may cut short.
func (r *reply) endsWait(kind flow.WaitKind) bool {
	return kind == r.wait || r.wait == flow.WaitAttention && (kind == flow.WaitQuota || kind == flow.WaitBudget)
}

// namedChoice is the choice that a call names, or "".
func (r *reply) namedChoice() string {
	if r.choice == "" && r.edit != "" {
		return kernel.ChoiceEdit
	}
	return r.choice
}

// answerWords are the words of a call, whose first argument is the run.
func (r *reply) answerWords(def *flow.Definition, args []string) (string, error) {
	if len(args) < 2 {
		return r.message, nil
	}
	words := strings.Join(args[1:], " ")
	if r.message != "" && r.verb == "answer" && r.choice == "" && len(args) == 2 {
		r.choice = args[1] // RUN CHOICE -m WORDS
		return r.message, nil
	}
	if r.message != "" {
		return "", usageError("duplicate words for `%s`: %q, and %q by --message", r.verb, words, r.message)
	}
	for _, n := range def.Nodes {
		if r.node == "" && n.Key == args[1] {
			word, choose := plain.ShellWord(args[1]), ""
			if r.verb == "answer" {
				choose = "--choice " + word + " to choose it, "
			}
			return "", usageError("`%s` is a node: give --node %s to name it, %sor --message to say this", args[1], word, choose)
		}
	}
	return words, nil
}

// replied is an answer that was recorded.
type replied struct {
	store.Answer
	// Run is the run that asked, and Root the one at the top of its family.
	Run, Root string
	// Fingerprint is that of the build that Root belongs to.
	Fingerprint string
	// Done says whether the question is answered, or needs more approvals.
	Done actions.Outcome
}

// findAskingRun is the run that is answered: the one that is named, or the only one
// that waits.
func (s *session) findAskingRun(ctx context.Context, r *reply, name string) (id string, err error) {
	if name != "" {
		id, err := s.engine.Find(ctx, s.program.Definition.Name, name)
		return id, s.notFound(name, err, "; to answer in one word without naming the run, use `-m "+plain.ShellWord(name)+"`")
	}
	waiting, err := s.listAskingRuns(ctx, r)
	switch {
	case err != nil:
		return "", failedError(err)
	case len(waiting) == 0:
		return "", failedError(fmt.Errorf("no run of %s waits for an answer%s", s.program.Definition.Name, s.placeNote()))
	case len(waiting) == 1:
		return waiting[0].ID, nil
	}
	var b strings.Builder
	for _, w := range waiting {
		fmt.Fprintf(&b, "\n  %s%s   # %s", s.commandLine(r.verb, w.ID), s.stateHint(), plain.Clip(s.runDisplay(w.Workflow).questionNote(r.matchingQuestions(w.Questions)), 60))
	}
	return "", usageError("%d runs wait for an answer; name one:%s", len(waiting), b.String())
}

// listAskingRuns returns the runs of the workflow, and the runs that those began, that ask
// something, newest first.
func (s *session) listAskingRuns(ctx context.Context, by *reply) ([]*local.RunStatus, error) {
	var list []*local.RunStatus
	runs, err := s.engine.ListRuns(ctx, store.Filter{Workflow: s.program.Definition.Name}, flow.Paused, flow.Running, flow.Interrupted)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		f, err := s.loadFamily(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range f.allRuns() {
			known := func(other *local.RunStatus) bool { return other.ID == r.ID }
			if len(by.matchingQuestions(r.Questions)) > 0 && !slices.ContainsFunc(list, known) {
				list = append(list, r)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *local.RunStatus) int { return b.Created.Compare(a.Created) })
	return list, nil
}

// pickQuestion is the open question that is meant.
func (r *reply) pickQuestion(v *shown, status *local.RunStatus, words string) (engine.Question, error) {
	open := r.matchingQuestions(status.Questions)
	var lifts []engine.Question // which nobody gives by accident, while approving whatever waits
	switch {
	case r.node != "":
		open = ofNodes(open, r.node)
	case r.wait == "" && r.verb != "reject":
		isLift := func(q engine.Question) bool { return stepkey.IsBudget(q.Key) }
		if i := slices.IndexFunc(open, isLift); i >= 0 { // a run asks that once
			lifts = slices.Clone(open[i : i+1])
		}
		open = slices.DeleteFunc(open, isLift)
	}
	if len(open) == 0 && len(lifts) > 0 {
		return engine.Question{}, usageError("run %s asks whether it may exceed its budgets; name that question:%s", status.ID, r.fittingLines(v, status, lifts, words))
	}
	if fitting := questionsOffering(open, r.namedChoice()); len(fitting) > 0 {
		open = fitting
	}
	switch len(open) {
	case 0:
		err := r.notOpen(status)
		if answered, ok := errors.AsType[*runerr.AnsweredError](err); ok && status.Status == flow.Paused && unreadAnswer(status, func(q *flow.Question) bool { return q.Key == answered.Answer.Key }) != nil {
			err = fmt.Errorf("%w; `%s` continues the run", err, v.commandLine("resume", status.ID)+v.stateHint())
		}
		return engine.Question{}, failedError(err)
	case 1:
		return open[0], nil
	}
	var b strings.Builder
	if r.wait != "" {
		for _, q := range open {
			fmt.Fprintf(&b, "\n  %s --node %s", v.commandLine(r.verb, q.RunID)+prefixNonEmpty(" ", quoteWord(r.event)), plain.ShellWord(q.Key))
		}
		return engine.Question{}, usageError("%d steps of run %s wait for that; name one:%s", len(open), status.ID, b.String())
	}
	return engine.Question{}, usageError("run %s asks %d questions; name one:%s", status.ID, len(open), r.fittingLines(v, status, open, words))
}

// fittingLines are the command lines that answer questions of a run as this command does.
func (r *reply) fittingLines(v *shown, status *local.RunStatus, open []engine.Question, words string) string {
	var b strings.Builder
	names := namesOf(status.Questions)
	for _, q := range open {
		for _, l := range v.answerLines(q, names) {
			if r.namedChoice() == "" || l.choice == choiceOf(q, r.namedChoice()) {
				fmt.Fprintf(&b, "\n  %s%s", l.command, prefixNonEmpty(" -m ", quoteWord(words)))
			}
		}
	}
	return b.String()
}

// questionsOffering are the questions that have a choice.
func questionsOffering(open []engine.Question, choice string) []engine.Question {
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool {
		return choice == "" || !slices.Contains(q.Choices, choiceOf(q, choice))
	})
}

// notOpen says why there is nothing to answer: of a node's questions the last
// answer tells, or else the run's state.
func (r *reply) notOpen(status *local.RunStatus) error {
	node := r.node
	answered := unreadAnswer(status, func(q *flow.Question) bool {
		return r.endsWait(q.Wait) && (r.event == "" || q.Message == r.event) && (node == "" || stepkey.Matches(q.Key, node))
	})
	if answered != nil {
		return &runerr.AnsweredError{Run: status.ID, Answer: *answered}
	}
	if r.wait != "" {
		return r.notAwaited(status)
	}
	for _, given := range slices.Backward(status.Answers) {
		if node == "" && len(status.Questions) == 0 || node != "" && stepkey.Matches(given.Key, node) {
			return &runerr.AnsweredError{Run: status.ID, Answer: given}
		}
	}
	return &runerr.NotOpenError{Run: status.ID, Status: status.Status, Key: node, Open: r.matchingQuestions(status.Questions)}
}

// unreadAnswer returns the answer to a question that fits, if the run has not continued with it, or
// nil.
func unreadAnswer(r *local.RunStatus, fits func(q *flow.Question) bool) *store.Answer {
	for _, s := range r.Steps {
		if s.Status != flow.Waiting || s.Question == nil || !fits(s.Question) {
			continue
		}
		if i := slices.IndexFunc(r.Answers, func(a store.Answer) bool { return a.Key == s.Key }); i >= 0 {
			return &r.Answers[i]
		}
	}
	return nil
}

// choiceOf is the choice of a question that a word means: to approve of an output
// is to accept it.
func choiceOf(q engine.Question, word string) string {
	if word == kernel.ChoiceApprove && q.Question.IsReview() {
		return kernel.ChoiceAccept
	}
	return word
}

// parseAnswer finds the choice in the words that answer a question, and returns
// what is said besides.
func (r *reply) parseAnswer(ctx context.Context, v *shown, q engine.Question, words string) (string, error) {
	if q.Question.IsReview() {
		return r.reviewAnswer(ctx, v, q, words)
	}
	if r.edit != "" {
		return "", usageError("`--edit` is for the review of an output; `%s` asks something else: %s", q.Key, format.FirstLine(human.Printable(q.Message)))
	}
	switch {
	case r.verb != "answer" || len(q.Choices) == 0:
		return words, nil
	case r.choice == "" && words != "" && runerr.IsLoopGate(q.Key, q.Choices):
		r.choice = kernel.ChoiceApprove // the words are for the next iteration
		return words, nil
	case v.def.Graph == nil:
		if first, rest, _ := strings.Cut(strings.TrimSpace(words), " "); r.choice == "" && slices.Contains(q.Choices, first) {
			r.choice, words = first, strings.TrimSpace(rest)
		}
		return words, nil // the engine refuses other choices
	}
	said := cmp.Or(r.choice, words)
	choice, ok := v.matchChoice(q, said)
	switch {
	case slices.Contains(q.Choices, r.choice):
		return words, nil
	case ok:
		r.choice = choice
		return words, nil
	case said == "":
		return "", usageError("missing answer to `%s`: use one of %s", q.Key, plain.NameList(q.Choices))
	}
	return "", usageError("unknown answer `%s` to `%s`%s", said, q.Key, plain.Instead(said, q.Choices))
}

// reviewAnswer finds out what a call says to the review of an output, and returns the
// words that go with it: those of the person, or the text of an edit.
func (r *reply) reviewAnswer(ctx context.Context, v *shown, q engine.Question, words string) (string, error) {
	if r.choice = choiceOf(q, r.namedChoice()); r.choice == "" {
		r.choice, words, _ = strings.Cut(strings.TrimSpace(words), " ")
		r.choice, words = choiceOf(q, r.choice), strings.TrimSpace(words)
	}
	switch {
	case r.choice == "":
		return "", usageError("missing answer to `%s`: use one of %s", q.Key, plain.NameList(q.Choices))
	case !slices.Contains(q.Choices, r.choice):
		return "", usageError("unknown answer `%s` to `%s`%s", r.choice, q.Key, plain.Instead(r.choice, q.Choices))
	case r.edit != "" && r.choice != kernel.ChoiceEdit:
		return "", usageError("`--edit` and the choice `%s` are two answers: give one of them", r.choice)
	case r.choice == kernel.ChoiceFeedback && strings.TrimSpace(words) == "":
		return "", usageError("feedback needs words: write them after `feedback`, or use --message")
	case r.choice == kernel.ChoiceRerun && words != "":
		return "", usageError("remove %q: the same program runs again, and takes no words", words)
	case r.choice == kernel.ChoiceEdit:
		return r.editedOutput(ctx, v, q, words)
	}
	return words, nil
}

// editedOutput returns what takes the place of an output: the content of the file that is
// named, or what the person at the terminal makes of it.
func (r *reply) editedOutput(ctx context.Context, v *shown, q engine.Question, words string) (string, error) {
	if words != "" {
		return "", usageError("remove %q: an edit takes no words; write the output to a file and use --edit FILE", words)
	}
	if r.edit != "" {
		text, err := editFile(r.edit)
		if err != nil {
			return "", usageError("--edit: %v", err)
		}
		return text, nil
	}
	if _, ok := human.Open(v.streams.In, v.streams.Err); !ok {
		return "", usageError("write the output as YAML or JSON to a file and use --edit FILE; without it, this command opens an editor, which needs a terminal")
	}
	text, changed, err := human.Edit(ctx, v.runFolder(q.RunID), q.Question, v.newEditor(nil))
	switch {
	case err != nil:
		return "", failedError(err)
	case !changed && q.LastEdit != "":
		return "", failedError(errors.New("the edit equals the rejected version; no answer was recorded"))
	case !changed:
		return "", failedError(errors.New("the edit changes nothing; no answer was recorded; `approve` accepts the output as it is"))
	}
	return text, nil
}

// maxEdit is how long an edited output may be.
const maxEdit = 16 << 20

// editFile reads the file that takes the place of an output. It must be a regular
// one: what is piped in passes no gate.
func editFile(path string) (string, error) {
	if path == "-" {
		return "", errors.New("standard input does not pass a gate: name a file")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("`" + path + "` is not a regular file")
	case info.Size() > maxEdit:
		return "", errors.New("`" + path + "` is larger than 16 MiB")
	}
	text, err := io.ReadAll(io.LimitReader(file, maxEdit))
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", errors.New("`" + path + "` is empty")
	}
	return string(text), nil
}

// proofOf is what the caller can prove besides the answer.
func (a *app) proofOf(r *reply, q engine.Question) actions.Proof {
	proof := actions.Proof{
		Token:       cmp.Or(r.token, a.gateToken),
		TerminalWay: "call this command at a terminal, in its foreground, with nothing piped in or out of it",
		TokenWay:    "give it by --token TOKEN or in the file that " + gateTokenVariable + " names",
	}
	if terminal, ok := human.Open(a.streams.In, a.streams.Err); ok && human.Controlling(terminal) {
		view := a.questionView(a.streams.Err, q.RunID)
		proof.Confirm = func(ctx context.Context) error {
			return human.Confirm(ctx, terminal, q, view, cmp.Or(r.choice, r.verb))
		}
		proof.AskToken = func(ctx context.Context, is func(string) bool) error {
			a.keepPrivate()
			human.Show(terminal, q, view)
			return human.AskToken(ctx, terminal, is)
		}
	}
	switch {
	case proof.Token != "":
		a.keepPrivate()
	case a.gateTokenFault != nil:
		proof.AskToken = func(context.Context, func(string) bool) error { return usageError("%w", a.gateTokenFault) }
	}
	return proof
}
