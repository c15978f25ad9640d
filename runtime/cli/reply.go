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

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

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
		"RUN revise 'shorten the summary'", "RUN --node target --choice staging", "RUN --node name -m 'call it blue'",
		"RUN --node plan --edit plan.yaml", "RUN --node plan feedback 'make it shorter'")
}

// respondCommand is the former name of `answer` for decisions of gates.
func (a *app) respondCommand() *cobra.Command {
	cmd := a.answerCommand()
	answer := cmd.RunE
	cmd.Use, cmd.Hidden = "respond RUN DECISION [WORDS…]", true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return usageError("`%s` needs a run and a decision; `status` shows both", cmd.CommandPath())
		}
		if err := cmd.Flags().Set("choice", args[1]); err != nil {
			return err
		}
		return answer(cmd, slices.Delete(slices.Clone(args), 1, 2))
	}
	return cmd
}

func (a *app) replyCommand(r *reply, short string, examples ...string) *cobra.Command {
	examples = a.exampleLines(r.verb, examples)
	cmd := &cobra.Command{
		Use:   r.verb + " [RUN] [WORDS…]",
		Short: short,
		Long: short + ".\n\n" +
			"RUN is a run's id, a prefix of one, or `latest`; the default is the only run that\nwaits for an answer. WORDS are a message for the run.\n\n" + answerNote,
		Example: strings.Join(examples, "\n"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.checkValues(&a.program); err != nil {
				return err
			}
			return a.replyAndShow(cmd.Context(), r, args, passedOn(cmd.Flags()))
		},
	}
	r.addToCommand(a.call, cmd)
	a.replyFlags(cmd, r)
	if r.verb == "reject" {
		cmd.Flags().StringVar(&r.message, "reason", "", "")
		cmd.MarkFlagsMutuallyExclusive("message", "reason")
	}
	if r.choice == "" {
		cmd.Flags().StringVar(&r.choice, "choice", "", "")
		cmd.Flags().StringVar(&r.edit, "edit", "", "")
	}
	return cmd
}

// replyFlags adds the flags of commands that answer questions.
func (a *app) replyFlags(cmd *cobra.Command, r *reply) {
	cmd.Flags().StringVar(&r.node, "node", "", "")
	cmd.Flags().StringVarP(&r.message, "message", "m", "", "")
	cmd.Flags().StringVar(&r.token, "token", "", "")
	cmd.Flags().BoolVar(&r.noResume, "no-resume", false, "")
}

// answerNote is what the help of every command that answers a run says.
const answerNote = "A process that works on the run receives the answer within a second. Without such\na process, this command continues the run and returns its exit code."

// exampleLines are calls of a command.
func (c *call) exampleLines(verb string, examples []string) []string {
	for i, e := range examples {
		examples[i] = strings.TrimRight("  "+c.name+" "+c.usageLine(verb+" "+e), " ")
	}
	return examples
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

// replyAndShow answers a question and sees to it that the run goes on.
func (a *app) replyAndShow(ctx context.Context, r *reply, args, flags []string) error {
	if len(args) > 0 && strings.ContainsAny(args[0], " \t\n") { // no id of a run
		args = append([]string{""}, args...)
	}
	words, err := r.answerWords(a.program.Definition, args)
	if err != nil {
		return err
	}
	return a.deliverAnswer(ctx, r, firstOrEmpty(args[:min(len(args), 1)]), words, flags)
}

// deliverAnswer records an answer, and continues the run unless a process works on it. name
// names the run, or is "".
func (a *app) deliverAnswer(ctx context.Context, r *reply, name, words string, flags []string) error {
	given, kept, err := a.storeAnswer(ctx, r, name, words)
	if err != nil {
		return err
	}
	r.noResume = r.noResume || !given.Done.Answered()
	for {
		went, err := a.handOver(ctx, r, given, local.EmbeddedIn(kept))
		if went || err != nil {
			return err
		}
		// Nobody works on the run, so it goes on here.
		err = a.resumeRun(ctx, r.runFlags, resumption{
			id: given.Root, settings: kept, fingerprint: given.Fingerprint, answers: true, elsewhere: append([]string{os.Args[0], "resume", given.Root}, flags...),
		})
		if unready, ok := errors.AsType[*unreadyError](err); ok {
			return failedError(fmt.Errorf("%w\nthe answer is recorded; `%s` continues the run", unready, a.commandLine("resume", given.Root)+a.stateHint()))
		}
		var busy *local.BusyError
		if !errors.As(err, &busy) || busy.RunID == "" {
			return err
		}
	}
}

// storeAnswer writes the answer to the store, and returns it with the settings that
// are kept with the run that goes on with it: the root of the family.
func (a *app) storeAnswer(ctx context.Context, r *reply, name, words string) (replied, json.RawMessage, error) {
	s, err := openReading(ctx, a.call)
	if err != nil {
		return replied{}, nil, err
	}
	defer s.store.Close()
	id, err := s.findAskingRun(ctx, r, name)
	if err != nil {
		return replied{}, nil, err
	}
	f, err := s.loadFamily(ctx, id)
	if err != nil {
		return replied{}, nil, err
	}
	status := f.findRun(id)
	if r.wait != flow.WaitEvent { // any program may report an event
		if err := s.gatekeeper().CheckProcess(f.gate(status, engine.Question{})); err != nil {
			return replied{}, nil, failedError(err)
		}
	}
	if lines := s.asksBelow(f, r, id); lines != "" && len(r.matchingQuestions(status.Questions)) == 0 {
		return replied{}, nil, failedError(fmt.Errorf("run %s asks nothing itself; runs that its steps started do:%s", id, lines))
	}
	own := a.runDisplay(status.Workflow)
	q, err := r.pickQuestion(own, status, words)
	if err != nil {
		return replied{}, nil, err
	}
	if words, err = r.parseAnswer(ctx, own, q, words); err != nil {
		return replied{}, nil, err
	}
	k := s.gatekeeper()
	if !r.noResume && (answering{f.root, r.wait, r.choice}).continues(s) {
		k.Ready = func() error {
			err := s.checkAgentsOf(ctx, r.runFlags, &f.root.Run)
			if unready, ok := errors.AsType[*unreadyError](err); ok {
				return fmt.Errorf("%w\nno answer was recorded; --no-resume records it without continuing the run", unready)
			}
			return err
		}
	}
	given, done, err := k.Answer(ctx, f.gate(status, q), a.person(), a.proofOf(r, q), store.Answer{Choice: r.choice, Text: words})
	if err != nil {
		return replied{}, nil, failedError(err)
	}
	if !r.quiet {
		what := "answered"
		if !done.Answered() {
			what = done.String()
		}
		said := r.choice
		if runerr.IsLoopGate(q.Key, q.Choices) && words != "" {
			said = words
		}
		fmt.Fprintf(a.streams.Err, "%s of run %s: %s%s\n", plain.Line(q.Key), status.ID, what, prefixNonEmpty(": ", plain.Line(said)))
	}
	return replied{given, status.ID, f.root.ID, f.root.Fingerprint, done}, f.root.Settings, nil
}

// replyDocument is what answering prints with --json when the run goes on
// elsewhere; otherwise the run's own document is printed.
type replyDocument struct {
	SchemaVersion int         `json:"schema_version"`
	Run           string      `json:"run_id"`
	Status        flow.Status `json:"status"`
	Key           string      `json:"node"`
	Choice        string      `json:"choice,omitempty"`
	Text          string      `json:"text,omitempty"`
	By            string      `json:"by"`
	From          string      `json:"from"`
	Given         time.Time   `json:"given"`
	// Taken says that the run has gone on with the answer, and Holder who works
	// on it.
	Taken  bool   `json:"taken"`
	Holder string `json:"holder,omitempty"`
}

// handOver leaves the run to the process that works on it, and reports false
// when there is none. With --no-resume it leaves it to nobody, and if a Go program embeds the
// run's engine, to that program.
func (a *app) handOver(ctx context.Context, r *reply, given replied, program string) (went bool, err error) {
	s, err := openReading(ctx, a.call)
	if err != nil {
		return false, err
	}
	defer s.store.Close()
	taken, holder, err := s.gatekeeper().AwaitTaken(ctx, given.Root, given.Run, given.Key, r.noResume)
	if err != nil {
		return false, failedError(err)
	}
	if !taken && holder == "" && !r.noResume && program == "" {
		return false, nil
	}
	if a.json {
		kept, err := s.store.Run(ctx, given.Run)
		if err != nil {
			return false, failedError(err)
		}
		return true, printJSON(a.streams.Out, replyDocument{
			SchemaVersion: schemaVersion, Run: given.Run, Status: kept.Status, Key: given.Key, Choice: given.Choice,
			Text: given.Text, By: given.By, From: given.From, Given: given.Given, Taken: taken, Holder: holder,
		})
	}
	switch {
	case r.quiet:
	case !given.Done.Answered():
		fmt.Fprintln(a.streams.Err, "the question stays open until enough people have answered it, on pages of `wfc serve --users`, in chats or by their accounts")
	case taken && holder != "":
		fmt.Fprintf(a.streams.Err, "the run continues in %s\n", holder)
	case taken:
		fmt.Fprintf(a.streams.Err, "the run has used the answer; see `%s`\n", a.commandLine("status", given.Root)+a.stateHint())
	case holder != "":
		fmt.Fprintf(a.streams.Err, "the answer is recorded; %s works on the run and has not used it yet\n", holder)
	case program != "":
		fmt.Fprintf(a.streams.Err, "the answer is recorded; the Go program %s, which started the run, continues it when it calls Engine.ResumeAll, as at its start\n", plain.Line(program))
	default:
		fmt.Fprintf(a.streams.Err, "the answer is recorded; `%s` continues the run\n", a.commandLine("resume", given.Root)+a.stateHint())
	}
	return true, nil
}
