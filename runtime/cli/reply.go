package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
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
}

func (a *app) approveCommand() *cobra.Command {
	return a.replyCommand(&reply{verb: "approve", choice: kernel.ChoiceApprove}, "Approve a question of a run",
		"", "RUN", "RUN --node gate 'looks good'")
}

func (a *app) rejectCommand() *cobra.Command {
	return a.replyCommand(&reply{verb: "reject", choice: kernel.ChoiceReject}, "Reject a question of a run",
		"RUN 'the tests are missing'", "RUN --node gate -m 'the tests are missing'")
}

func (a *app) answerCommand() *cobra.Command {
	return a.replyCommand(&reply{verb: "answer"}, "Answer any other question of a run",
		"RUN staging", "RUN --node target --choice staging", "RUN --node name -m 'call it blue'",
		"RUN --node plan --edit plan.yaml", "RUN --node plan feedback 'make it shorter'")
}

func (a *app) replyCommand(r *reply, short string, examples ...string) *cobra.Command {
	for i, e := range examples {
		examples[i] = strings.TrimRight("  "+a.name+" "+a.use(r.verb+" "+e), " ")
	}
	cmd := &cobra.Command{
		Use:   r.verb + " [RUN] [WORDS…]",
		Short: short,
		Long: short + ".\n\n" +
			"RUN is a run's id, a prefix of one, or `latest`; the default is the only run that\nwaits for an answer. WORDS are a message for the run.\n\n" +
			"A process that works on the run receives the answer within a second. Without such\na process, this command continues the run and returns its exit code.",
		Example: strings.Join(examples, "\n"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(a.program.agentNames()); err != nil {
				return err
			}
			return a.reply(cmd.Context(), r, args, passedOn(cmd.Flags()))
		},
	}
	r.add(a, cmd)
	cmd.Flags().StringVar(&r.node, "node", "", "`NODE` that asks, if several do")
	cmd.Flags().StringVarP(&r.message, "message", "m", "", "`WORDS` of the answer, instead of those after RUN")
	cmd.Flags().StringVar(&r.token, "token", "", "gate `TOKEN` of the run (default: WFC_GATE_TOKEN)")
	cmd.Flags().BoolVar(&r.noResume, "no-resume", false, "only record the answer; resume later")
	if r.verb == "reject" {
		cmd.Flags().StringVar(&r.message, "reason", "", "the same as --message")
		cmd.MarkFlagsMutuallyExclusive("message", "reason")
	}
	if r.choice == "" {
		cmd.Flags().StringVar(&r.choice, "choice", "", "`CHOICE` of the answer")
		cmd.Flags().StringVar(&r.edit, "edit", "", "YAML or JSON `FILE` that replaces the reviewed output")
	}
	return cmd
}

// passedOn are the flags that were given and mean the same to resume.
func passedOn(flags *pflag.FlagSet) []string {
	var list []string
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"node", "message", "reason", "no-resume", "choice", "edit", "token"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			list = append(list, "--"+f.Name+"="+v)
		}
	})
	return list
}

// said are the words of a call, whose first argument is the run.
func (a *app) said(r *reply, args []string) (string, error) {
	if len(args) < 2 {
		return r.message, nil
	}
	words := strings.Join(args[1:], " ")
	if r.message != "" {
		return "", usage("`%s` is given words twice: %q, and %q by --message", r.verb, words, r.message)
	}
	for _, n := range a.program.Definition.Nodes {
		if r.node == "" && n.Key == args[1] {
			return "", usage("`%s` is a node: give --node %s to name it, or --message to say this", args[1], plain.ShellWord(args[1]))
		}
	}
	return words, nil
}

// reply answers a question and sees to it that the run goes on.
func (a *app) reply(ctx context.Context, r *reply, args, flags []string) error {
	words, err := a.said(r, args)
	if err != nil {
		return err
	}
	given, kept, err := a.record(ctx, r, args, words)
	if err != nil {
		return err
	}
	for {
		went, err := a.handOver(ctx, r, given)
		if went || err != nil {
			return err
		}
		// Nobody works on the run, so it goes on here.
		err = a.resumeRun(ctx, r.runFlags, resumption{
			id: given.Run, settings: kept, elsewhere: append([]string{os.Args[0], "resume", given.Run}, flags...),
		})
		var busy *local.BusyError
		if !errors.As(err, &busy) || busy.Run == "" {
			return err
		}
	}
}

// replied is an answer that was recorded.
type replied struct {
	store.Answer
	Run string
}

// record writes the answer to the store, and returns it with the settings that
// are kept with the run.
func (a *app) record(ctx context.Context, r *reply, args []string, words string) (replied, json.RawMessage, error) {
	s, err := a.open(ctx, setup{})
	if err != nil {
		return replied{}, nil, err
	}
	defer s.store.Close()
	status, err := a.asked(ctx, s, r, only(args[:min(len(args), 1)]))
	if err != nil {
		return replied{}, nil, err
	}
	run := s.asking(status.ID)
	mode, _ := a.gatesOf(status.Settings)
	run.Proven = mode == settings.GatesToken
	if err := human.Refuse(run); err != nil {
		return replied{}, nil, failed(err)
	}
	q, err := a.pick(r, status, words)
	if err != nil {
		return replied{}, nil, err
	}
	if words, err = a.understand(ctx, r, q, words); err != nil {
		return replied{}, nil, err
	}
	if err := a.entitled(ctx, s, r, status, q); err != nil {
		return replied{}, nil, err
	}
	given := replied{store.Answer{
		Key: q.Key, Choice: r.choice, Text: words, By: human.User(), From: human.Place(a.streams.In), Given: time.Now(),
	}, status.ID}
	if err := s.engine.Answer(ctx, status.ID, given.Answer); err != nil {
		return replied{}, nil, failed(err)
	}
	if !r.quiet {
		fmt.Fprintf(a.streams.Err, "%s of run %s: answered%s\n", plain.Line(q.Key), status.ID, after(": ", plain.Line(r.choice)))
	}
	return given, status.Settings, nil
}

// understand finds the choice in the words that answer a question, and returns
// what is said besides.
func (a *app) understand(ctx context.Context, r *reply, q engine.Question, words string) (string, error) {
	if q.Question.IsReview() {
		return a.judge(ctx, r, q, words)
	}
	if r.edit != "" {
		return "", usage("`--edit` is for the review of an output; `%s` asks something else: %s", q.Key, firstLine(human.Printable(q.Message)))
	}
	if r.verb != "answer" || a.program.Definition.Graph == nil || len(q.Choices) == 0 || slices.Contains(q.Choices, r.choice) {
		return words, nil
	}
	said := r.choice
	if said == "" {
		said = words
	}
	choice, ok := a.choose(q, said)
	switch {
	case ok:
		r.choice = choice
		return words, nil
	case said == "":
		return "", usage("say what you answer to `%s`; the choices are: %s", q.Key, strings.Join(q.Choices, ", "))
	}
	return "", usage("`%s` is no answer to `%s`; the choices are: %s", said, q.Key, strings.Join(q.Choices, ", "))
}

// after is a text behind another, or nothing when it is empty.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// asked is the run that is answered: the one that is named, or the only one
// that waits.
func (a *app) asked(ctx context.Context, s *session, r *reply, name string) (*local.RunStatus, error) {
	if name != "" {
		id, err := s.engine.Find(ctx, a.program.Definition.Name, name)
		if errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("%w; what you say stands after the run, or follows --message", err)
		}
		if err != nil {
			return nil, failed(err)
		}
		status, err := s.engine.Status(ctx, id)
		return status, failed(err)
	}
	waiting, err := a.waiting(ctx, s)
	switch {
	case err != nil:
		return nil, failed(err)
	case len(waiting) == 0:
		return nil, failed(fmt.Errorf("no run of %s waits for an answer", a.program.Definition.Name))
	case len(waiting) == 1:
		return waiting[0], nil
	}
	var b strings.Builder
	for _, w := range waiting {
		fmt.Fprintf(&b, "\n  %s%s   # %s", a.command(r.verb, w.ID), a.stateHint(), clip(a.questionNote(w.Questions), 60))
	}
	return nil, usage("%d runs wait for an answer; name one:%s", len(waiting), b.String())
}

// waiting returns the runs of the workflow that ask something, newest first.
func (a *app) waiting(ctx context.Context, s *session) ([]*local.RunStatus, error) {
	var list []*local.RunStatus
	for _, status := range []flow.Status{flow.Paused, flow.Running, flow.Interrupted} {
		runs, err := s.engine.ListRuns(ctx, store.Filter{Workflow: a.program.Definition.Name, Status: status})
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			known := func(other *local.RunStatus) bool { return other.ID == r.ID }
			full, err := s.engine.Status(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			if len(full.Questions) > 0 && !slices.ContainsFunc(list, known) {
				list = append(list, full)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *local.RunStatus) int { return b.Created.Compare(a.Created) })
	return list, nil
}

// pick is the open question that is meant.
func (a *app) pick(r *reply, status *local.RunStatus, words string) (engine.Question, error) {
	open := status.Questions
	if r.node != "" {
		open = ofNodes(open, r.node)
	}
	if fitting := offering(open, r.said()); len(fitting) > 0 {
		open = fitting
	}
	switch len(open) {
	case 0:
		return engine.Question{}, failed(notOpen(status, r.node))
	case 1:
		return open[0], nil
	}
	var b strings.Builder
	for _, q := range open {
		for _, l := range a.answerLines(q, status.Questions) {
			if r.said() == "" || l.choice == choiceOf(q, r.said()) {
				fmt.Fprintf(&b, "\n  %s%s", l.command, after(" -m ", quoted(words)))
			}
		}
	}
	return engine.Question{}, usage("run %s asks %d questions; say which one you answer:%s", status.ID, len(open), b.String())
}

// quoted is a text as a word of a command line, or "" when there is none.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return plain.ShellWord(text)
}

// offering are the questions that have a choice.
func offering(open []engine.Question, choice string) []engine.Question {
	var list []engine.Question
	for _, q := range open {
		if choice != "" && slices.Contains(q.Choices, choiceOf(q, choice)) {
			list = append(list, q)
		}
	}
	return list
}

// notOpen says why there is nothing to answer: of a node's questions the last
// answer tells, or else the run's state.
func notOpen(status *local.RunStatus, node string) error {
	for _, given := range slices.Backward(status.Answers) {
		if node == "" && len(status.Questions) == 0 || node != "" && stepkey.PartOf(given.Key, node) {
			return &local.AnsweredError{Run: status.ID, Answer: given}
		}
	}
	return &local.NotOpenError{Run: status.ID, Status: status.Status, Key: node, Open: status.Questions}
}
