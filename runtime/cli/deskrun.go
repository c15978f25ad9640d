package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/diagram"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A deskRun is a run with its family, as a page or an answer needs it.
type deskRun struct {
	*openPlace
	session *session
	family  *family
	run     *document.Run
	// drawn says that the description of the workflow is known.
	drawn bool
}

// load reads a run without the texts of its steps.
func (d *runDesk) load(ctx context.Context, ref desk.Ref) (*deskRun, error) {
	o, err := d.find(ctx, ref.Place)
	if err != nil {
		return nil, err
	}
	root, err := o.heads.Root(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	kept, err := o.store.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	def, drawn := d.definition(o, &kept, nil)
	s := o.session(def, o.heads)
	family, err := s.loadFamily(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	if !drawn {
		def, _ = d.definition(o, &kept, family.root.Steps)
		s = o.session(def, o.heads)
	}
	run, err := s.familyDocument(ctx, family, ref.ID)
	if err != nil {
		return nil, err
	}
	return &deskRun{o, s, family, &run, drawn}, nil
}

// Run implements desk.Desk.
func (d *runDesk) Run(ctx context.Context, ref desk.Ref) (*desk.Run, error) {
	r, err := d.load(ctx, ref)
	if err != nil {
		return nil, err
	}
	status, root := r.family.findRun(ref.ID), r.family.root
	r.run.Nodes = nil
	page := &desk.Run{
		Ref: ref, Place: r.Place, Run: maskDocument(d.call, *r.run), Parts: status.Steps,
		Missing: r.missingOf(ctx, ref.ID), Drawn: r.drawn, CanCancel: !status.Status.Ended(),
		CanResume: root.ID == ref.ID && slices.Contains([]flow.Status{flow.Paused, flow.Interrupted, flow.Failed, flow.LimitReached, flow.Cancelled}, status.Status),
	}
	if page.Holder, _ = r.heads.Holder(root.ID); page.Holder != "" {
		page.CanResume = false
		if r.cluster() != nil && status.Status == flow.Paused {
			page.Holder = ""
		}
	}
	if flags := raisedLimitFlags(status.Reason, sched.Used(status.Steps)); flags != "" && status.Status == flow.LimitReached && page.CanResume {
		page.Raise = r.session.resumeLine(r.family, flags)
	}
	page.Terms = actions.TermsOf(root.Settings, r.session.program.Defaults.Gates.Mode)
	for _, m := range append([]*local.RunStatus{status}, r.family.descendantRuns(ref.ID)...) {
		v := r.session.showRun(m)
		for _, q := range m.Questions {
			open := d.openQuestion(v, r.Key, q)
			open.Rule, open.Note = page.Terms.Rule(m, q.Question), d.maskSecrets(r.session.ruleNote(r.family, m, q))
			page.Open = append(page.Open, open)
		}
		waits := map[string]bool{}
		for _, s := range m.Steps {
			waits[s.Key] = s.Status == flow.Waiting
		}
		for _, given := range m.Answers {
			if waits[given.Key] {
				page.Answered = append(page.Answered, d.maskSecrets(given.Key+": "+runerr.Words(given)))
			}
		}
	}
	if status.Status == flow.Paused && slices.ContainsFunc(page.Open, func(o desk.Open) bool { return o.Wait == "" }) {
		page.CanResume = false // the answer resumes it
	}
	for i := range page.Parts {
		d.maskFailure(&page.Parts[i])
	}
	return page, nil
}

// maskFailure masks the secrets in the message of a step's failure.
func (d *runDesk) maskFailure(s *flow.Record) {
	if s.Failure != nil {
		f := *s.Failure
		f.Message = d.maskSecrets(f.Message)
		s.Failure = &f
	}
}

// openQuestion is a question as a page shows it. The hash is of what the journal has: secrets are
// masked only afterwards.
func (d *runDesk) openQuestion(v *shown, place string, q engine.Question) desk.Open {
	o := desk.Open{
		Ref: desk.Ref{Place: place, ID: q.RunID}, Question: q.Question, Node: v.nodeOf(q.Key), Since: q.Since, Deadline: q.Deadline, Hash: actions.Hash(q),
	}
	if q.Wait != "" {
		o.Text = d.maskSecrets(waitText(q.Question, q.Deadline))
	}
	for _, n := range v.def.Nodes {
		if slices.Contains(n.After, o.Node) {
			o.Next = append(o.Next, n.Key)
		}
	}
	o.Readable = human.Readable(q.Output)
	if q.LastEdit != "" {
		o.Readable = q.LastEdit
	}
	// An edit needs the output as it is, but what is only read may hide secrets.
	o.Message, o.Output = d.maskSecrets(q.Message), d.maskSecrets(human.Readable(q.Output))
	return o
}

// Step implements desk.Desk.
func (d *runDesk) Step(ctx context.Context, ref desk.Ref, key string) (s flow.Record, err error) {
	o, err := d.find(ctx, ref.Place)
	if err != nil {
		return s, err
	}
	s, err = o.index.Step(ctx, ref.ID, key)
	if c := o.cluster(); err == nil && c != nil && s.Prompt == "" && s.Attempt > 0 {
		s.Prompt, err = c.Script(ctx, ref.ID, key)
	}
	s.Text, s.Prompt = d.maskSecrets(s.Text), d.maskSecrets(s.Prompt)
	d.maskFailure(&s)
	return s, err
}

// Picture implements desk.Desk.
func (d *runDesk) Picture(ctx context.Context, ref desk.Ref) (string, error) {
	r, err := d.load(ctx, ref)
	if err != nil {
		return "", err
	}
	if !r.drawn {
		return "", fmt.Errorf("the picture of run %s: %w", ref.ID, store.ErrNotFound)
	}
	run := r.family.findRun(ref.ID)
	def := r.session.runDisplay(run.Workflow).def
	var b strings.Builder
	w := diagram.Workflow{Name: def.Name, Nodes: def.Nodes, Graph: def.Graph, Run: &diagram.Run{
		ID: run.ID, Status: run.Status, Steps: run.Steps, Cause: func(s flow.Record) string { return d.maskSecrets(causeOf(s)) }, Now: time.Now(),
	}}
	if err := w.Write(&b, "svg"); err != nil {
		return "", err
	}
	return b.String(), nil
}

// logPart is how many bytes of a log a page shows.
const logPart = 256 << 10

// Log implements desk.Desk.
func (d *runDesk) Log(ctx context.Context, ref desk.Ref, q desk.LogQuery) (*desk.Log, error) {
	o, err := d.find(ctx, ref.Place)
	if err != nil {
		return nil, err
	}
	if o.cluster() != nil {
		return d.clusterLog(ctx, o, ref, q)
	}
	file, err := os.Open(o.logFile(ref.ID))
	if isMissing(err) {
		return &desk.Log{Missing: "This machine has no log of the run."}, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size()
	if q.Before > 0 {
		end = min(end, q.Before)
	}
	list := &desk.Log{From: max(0, end-logPart)}
	text, err := wholefile.Output.From(io.NewSectionReader(file, list.From, end-list.From), file.Name())
	if err != nil {
		return nil, err
	}
	if list.From > 0 { // half a line
		half := bytes.IndexByte(text, '\n') + 1
		list.From, text = list.From+int64(half), text[half:]
	}
	for line := range bytes.Lines(text) {
		if l, ok := d.readLogLine(line, q.Step); ok {
			list.Lines = append(list.Lines, l)
		}
	}
	return list, nil
}

// readLogLine reads a line of a log, if it is whole and of the step.
func (d *runDesk) readLogLine(text []byte, step string) (desk.LogLine, bool) {
	var l logLine
	if json.Unmarshal(bytes.TrimSpace(text), &l) != nil || step != "" && !stepkey.Matches(l.Node, step) {
		return desk.LogLine{}, false
	}
	line := desk.LogLine{Time: l.Time, Step: l.Node, Stream: l.Stream, Text: l.Text}
	if l.Type != "output" {
		line.Stream, line.Text = "", l.eventText()
	}
	line.Text = strings.TrimSuffix(d.maskSecrets(line.Text), "\n")
	return line, true
}

// mostArtifacts is how many files of a run a page lists.
const mostArtifacts = 1000

// Artifacts implements desk.Desk.
func (d *runDesk) Artifacts(ctx context.Context, ref desk.Ref) ([]desk.Artifact, error) {
	root, err := d.artifactRoot(ctx, ref)
	if isMissing(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer root.Close()
	var list []desk.Artifact
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // a folder that is gone meanwhile hides no other
		}
		if len(list) == mostArtifacts {
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil {
			list = append(list, desk.Artifact{Name: name, Size: info.Size(), Time: info.ModTime()})
		}
		return ctx.Err()
	})
	return list, err
}

// OpenArtifact implements desk.Desk. A link out of the run's folder opens nothing.
func (d *runDesk) OpenArtifact(ctx context.Context, ref desk.Ref, name string) (io.ReadCloser, error) {
	root, err := d.artifactRoot(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("artifact %s: %w", name, store.ErrNotFound)
	}
	return root.Open(filepath.FromSlash(name))
}

// artifactRoot opens the folder with the artifacts of a run that the place has.
func (d *runDesk) artifactRoot(ctx context.Context, ref desk.Ref) (*os.Root, error) {
	o, err := d.find(ctx, ref.Place)
	if err != nil {
		return nil, err
	}
	if o.cluster() != nil {
		return nil, fs.ErrNotExist // the folder is a worker's
	}
	run, err := o.unfinished.Status(ctx, ref.ID)
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(run.ArtifactsDir)
}
