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

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// logLine is what logs reads of a line of log.jsonl.
type logLine struct {
	Time       time.Time `json:"time"`
	Type       string    `json:"type"`
	Node       string    `json:"node"`
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
		Short: "Show what happened in a run",
		Long:  "Show what happened in a run: its steps and what they printed, with secrets masked.\n\nRUN is a run's id, the beginning of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkNode(node); err != nil {
				return err
			}
			return a.withRun(cmd.Context(), only(args), func(ctx context.Context, s *session, id string) error {
				file, err := os.Open(s.folder.Log(id))
				if errors.Is(err, fs.ErrNotExist) {
					return failed(fmt.Errorf("run %s has no log", id))
				} else if err != nil {
					return failed(err)
				}
				defer file.Close()
				return a.copyLog(ctx, s, id, file, node, follow)
			})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run ends")
	cmd.Flags().StringVar(&node, "node", "", "only this node")
	a.jsonFlag(cmd)
	cmd.Flags().Lookup("json").Usage = "print the lines of log.jsonl as they are"
	return cmd
}

// copyLog prints the log, and what is added to it while the run goes on.
func (a *app) copyLog(ctx context.Context, s *session, id string, file io.Reader, node string, follow bool) error {
	const poll = 200 * time.Millisecond
	lines := bufio.NewReader(file)
	var half []byte
	last := false
	for {
		line, err := lines.ReadBytes('\n')
		half = append(half, line...)
		if err == nil {
			a.printLog(half, node)
			half = half[:0]
			continue
		}
		if !errors.Is(err, io.EOF) {
			return failed(err)
		}
		if !follow || last {
			return nil
		}
		// The run's end is looked at before the rest of the log is read, so
		// that nothing that was written before it is missed.
		runs, err := s.engine.ListRuns(ctx, store.Filter{Prefix: id, Status: flow.Running})
		if err != nil {
			return failed(err)
		}
		last = !slices.ContainsFunc(runs, func(r local.RunStatus) bool { return r.ID == id })
		if !last {
			time.Sleep(poll)
		}
	}
}

// checkNode refuses names of nodes that the workflow does not have: their log
// would be empty.
func (a *app) checkNode(node string) error {
	var names []string
	for _, n := range a.program.Definition.Nodes {
		if n.Key == node {
			return nil
		}
		names = append(names, n.Key)
	}
	if node == "" {
		return nil
	}
	return usage("the workflow has no node `%s`%s", node, didYouMean(node, names))
}

func (a *app) printLog(line []byte, node string) {
	var l logLine
	if json.Unmarshal(line, &l) != nil {
		return // half a line of a process that died
	}
	if node != "" && !flow.PartOf(l.Node, node) {
		return
	}
	if a.json {
		a.streams.Out.Write(append(bytes.TrimRight(line, "\n"), '\n'))
		return
	}
	head := l.Time.Local().Format("15:04:05.000") + " "
	if l.Node != "" {
		head += "[" + l.Node + "] "
	}
	if l.Type == "output" {
		for _, text := range strings.Split(strings.TrimRight(l.Text, "\n"), "\n") {
			fmt.Fprintf(a.streams.Out, "%s%s\n", head, text)
		}
		return
	}
	text := strings.ReplaceAll(strings.TrimPrefix(l.Type, "step_"), "_", " ")
	if l.Attempt > 1 {
		text += fmt.Sprintf(" (attempt %d)", l.Attempt)
	}
	if l.DurationMS > 0 {
		text += " after " + shortDuration(time.Duration(l.DurationMS)*time.Millisecond)
	}
	if l.Meta.By != "" {
		l.Message = answerText(flow.Record{Text: l.Text, Meta: l.Meta}) // to what was asked when it began to wait
	}
	for _, more := range []string{l.Message, l.Error} {
		if more != "" {
			text += ": " + more
		}
	}
	if l.Type == "note" && l.Text != "" {
		text += " (" + l.Text + ")"
	}
	if l.Reason != "" {
		text += ": " + skipText(l.Reason)
	}
	fmt.Fprintln(a.streams.Out, head+text)
}
