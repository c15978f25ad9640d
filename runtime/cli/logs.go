package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// logLine is what logs reads of a line of log.jsonl.
type logLine struct {
	Time       time.Time `json:"time"`
	Type       string    `json:"type"`
	Node       string    `json:"node"`
	Kind       string    `json:"kind"`
	Stream     string    `json:"stream"`
	Text       string    `json:"text"`
	Reason     string    `json:"reason"`
	Error      string    `json:"error"`
	Message    string    `json:"message"`
	Attempt    int       `json:"attempt"`
	DurationMS int64     `json:"duration_ms"`
	Meta       flow.Meta `json:"meta"`
}

func (a *app) logsCommand() *cobra.Command {
	var follow bool
	var node string
	cmd := &cobra.Command{
		Use:   "logs [RUN]",
		Short: "Show the log of a run",
		Long:  "Show the log of a run: its steps and their output, with secrets masked.\n\nRUN is a run's id, a prefix of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkNode(node, flow.Reachable(a.program.Definition)...); err != nil {
				return err
			}
			return a.withRun(cmd.Context(), firstOrEmpty(args), func(ctx context.Context, s *session, id string) error {
				printed := &logPrinter{out: a.streams.Out, json: a.json, node: node}
				defer printed.flushNode("")
				return failedError(a.backend.printLog(ctx, s, id, follow, printed))
			})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "")
	cmd.Flags().StringVar(&node, "node", "", "")
	a.jsonFlag(cmd)
	cmd.Flags().Lookup("json").Usage = "print the lines of log.jsonl unchanged"
	a.backend.extendCommand(cmd)
	return cmd
}

// printLog prints the file with the log and, with follow, what a process adds to it until the run
// ends.
func (b *localBackend) printLog(ctx context.Context, s *session, id string, follow bool, print *logPrinter) error {
	const poll = 200 * time.Millisecond
	run, err := runstore.Brief(ctx, s.store, id)
	if err != nil {
		return err
	}
	if err := checkNode(print.node, b.runDisplay(run.Workflow).def); err != nil {
		return err
	}
	file, err := os.Open(s.folder.LogFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s has no log on this machine", id)
	} else if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	var half []byte
	for last := false; ; {
		line, err := wholefile.Output.Line(lines, file.Name())
		half = append(half, line...)
		if err == nil {
			_, _ = print.Write(half)
			half = half[:0]
			continue
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		if !follow || last {
			return nil
		}
		// The run's end is looked at before the rest of the log is read, so
		// that nothing that was written before it is missed.
		runs, err := s.engine.ListRuns(ctx, store.Filter{Prefix: id, Status: flow.Running})
		if err != nil {
			return err
		}
		if last = !slices.ContainsFunc(runs, func(r local.RunStatus) bool { return r.ID == id }); !last {
			time.Sleep(poll)
		}
	}
}

// checkNode refuses names of nodes that none of the workflows has: their log would be
// empty.
func checkNode(node string, workflows ...*flow.Definition) error {
	var names []string
	for _, def := range workflows {
		walkNodes(def.Nodes, "", func(path string, _ flow.NodeInfo) { names = append(names, path) })
	}
	if node == "" || slices.Contains(names, node) {
		return nil
	}
	return usageError("%s", plain.UnknownName("node", node, names))
}

// A logPrinter prints the lines of a log. What a step says piece by piece is put
// together into lines.
type logPrinter struct {
	out  io.Writer
	json bool
	// node is the only one whose lines are printed, or "".
	node string
	// open are the lines that have not come to their end.
	open []openLine
}

// openLine is a line of which more may come.
type openLine struct{ node, stream, head, text string }

// printLine prints a line of a step, behind a bar: what a step prints cannot pass for
// what happened in the run.
func (o *openLine) printLine(w io.Writer, text string) {
	fmt.Fprintf(w, "%s│ %s\n", o.head, plain.Line(strings.TrimSuffix(text, "\r")))
}

// longestOpen is how many bytes of a line are kept until it ends; a longer one is
// printed in parts.
const longestOpen = 64 << 10

// behindTime indents what follows the first line of an event.
const behindTime = "             "

// Write implements io.Writer. line is one line of the log.
func (p *logPrinter) Write(line []byte) (int, error) {
	var l logLine
	if json.Unmarshal(line, &l) != nil {
		return len(line), nil // half a line of a process that died
	}
	if p.node != "" && !stepkey.Matches(l.Node, p.node) {
		return len(line), nil
	}
	if p.json {
		return plain.JSONWriter(p.out).Write(append(bytes.TrimRight(line, "\n"), '\n'))
	}
	head := l.Time.Local().Format("15:04:05.000") + " "
	if l.Node != "" {
		head += "[" + plain.Line(l.Node) + "] "
	}
	if l.Type == "output" {
		p.printOutput(openLine{l.Node, l.Stream, head, l.Text})
		return len(line), nil
	}
	p.flushNode(l.Node)
	return fmt.Fprintln(p.out, head+plain.Below(l.eventText(), behindTime))
}

// printOutput prints what has come to the end of a line, with the time at which it
// began, and keeps the rest.
func (p *logPrinter) printOutput(o openLine) {
	i := slices.IndexFunc(p.open, func(earlier openLine) bool { return earlier.node == o.node && earlier.stream == o.stream })
	if i >= 0 {
		o.head, o.text = p.open[i].head, p.open[i].text+o.text
		p.open = slices.Delete(p.open, i, i+1)
	}
	p.flushNode(o.node) // the other stream's, which comes before
	for {
		text, rest, whole := strings.Cut(o.text, "\n")
		if !whole && len(o.text) <= longestOpen {
			break
		}
		o.printLine(p.out, text)
		o.text = rest
	}
	if o.text != "" {
		p.open = append(p.open, o)
	}
}

// flushNode prints the lines of a node that have not come to their end, or, with "",
// those of all.
func (p *logPrinter) flushNode(node string) {
	p.open = slices.DeleteFunc(p.open, func(o openLine) bool {
		if node != "" && o.node != node {
			return false
		}
		o.printLine(p.out, o.text)
		return true
	})
}

// eventText tells what happened, of all but output.
func (l *logLine) eventText() string {
	text := strings.ReplaceAll(strings.TrimPrefix(l.Type, "step_"), "_", " ")
	if l.Attempt > 1 {
		text += fmt.Sprintf(" (attempt %d)", l.Attempt)
	}
	if l.DurationMS > 0 {
		text += " after " + plain.Duration(time.Duration(l.DurationMS)*time.Millisecond)
	}
	message := l.Message
	if l.Meta.By != "" {
		message = answerText(flow.Record{Key: l.Node, Text: l.Text, Meta: l.Meta}) // to what was asked when it began to wait
	}
	for _, more := range []string{message, l.Error} {
		if more != "" {
			text += ": " + more
		}
	}
	if l.Type == "step_completed" && l.Kind == (flow.Prompt{}).Kind() && strings.HasPrefix(l.Text, "{") {
		text += ": " + l.Text // a structured answer, which agents don't say as text
	}
	if l.Type == "note" && l.Text != "" {
		text += " (" + l.Text + ")"
	}
	if l.Reason != "" {
		text += ": " + skipText(l.Reason)
	}
	return text
}
