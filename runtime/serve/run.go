package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/store"
)

// rowsLength is how many nodes or parts of a run a page has.
const rowsLength = 200

// A runView is the page of a run.
type runView struct {
	*desk.Run
	Nodes      part[nodeRow]
	Artifacts  []desk.Artifact
	Log        *desk.Log
	Inputs     []field
	Outputs    string
	Deliveries []nodeRow
}

// A field is an input with its value.
type field struct{ Name, Value string }

func (h *handler) run(r *request) error {
	h.follow(r, r.ref())
	run, err := h.desk.Run(r.Context(), r.ref())
	if err != nil {
		return err
	}
	v := &runView{Run: run}
	rows := foldSteps(run.Parts)
	for _, row := range rows {
		if row.Kind == (flow.Delivery{}).Kind() {
			v.Deliveries = append(v.Deliveries, row)
		}
	}
	number, _ := strconv.Atoi(r.URL.Query().Get("page")) // another text is the first page
	v.Nodes = newPart(rows, number, rowsLength)
	setBars(v.Nodes.Items, run)
	if v.Artifacts, err = h.desk.Artifacts(r.Context(), r.ref()); err != nil {
		return err
	}
	v.Inputs = readFields(run.Inputs)
	if len(run.Outputs) > 0 {
		v.Outputs = human.Readable(string(run.Outputs))
	}
	return h.render(r, http.StatusOK, "run", run.Run.ID, v)
}

// readFields returns the members of a JSON object in their order.
func readFields(object json.RawMessage) []field {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var list []field
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		text := ""
		if json.Unmarshal(value, &text) != nil {
			text = human.Readable(string(value))
		}
		list = append(list, field{fmt.Sprint(name), text})
	}
	return list
}

// A partsView is the page of a node's parts.
type partsView struct {
	Run   desk.Ref
	Node  string
	Parts part[nodeRow]
}

func (h *handler) parts(r *request) error {
	run, err := h.desk.Run(r.Context(), r.ref())
	if err != nil {
		return err
	}
	node := r.URL.Query().Get("of")
	var rows []nodeRow
	for _, s := range partsOf(run.Parts, node) {
		rows = append(rows, nodeRow{Record: s, Spent: s.Meta})
	}
	if len(rows) == 0 {
		return fmt.Errorf("the parts of node %s: %w", node, store.ErrNotFound)
	}
	number, _ := strconv.Atoi(r.URL.Query().Get("page")) // another text is the first page
	v := &partsView{Run: r.ref(), Node: node, Parts: newPart(rows, number, rowsLength)}
	setBars(v.Parts.Items, run)
	return h.render(r, http.StatusOK, "parts", node, v)
}

// findRun shows the run of an address without a place, as links in notices have it.
func (h *handler) findRun(r *request) error {
	for _, place := range h.desk.Places() {
		ref := desk.Ref{Place: place.Key, ID: r.PathValue("run")}
		if _, err := h.desk.Run(r.Context(), ref); err == nil {
			return r.redirect(runAddress(ref))
		}
	}
	return store.ErrNotFound
}

// A stepView is the page of a step.
type stepView struct {
	desk.Ref
	flow.Record
	Output string
	Log    *desk.Log
}

// IsScript says that the step runs a script, and IsShort that the page shows it unfolded.
func (v *stepView) IsScript() bool {
	return v.Kind == flow.Bash{}.Kind() || v.Kind == flow.Script{}.Kind()
}

func (v *stepView) IsShort() bool { return strings.Count(v.Prompt, "\n") < 25 }

func (h *handler) step(r *request) error {
	h.follow(r, r.ref())
	key := r.URL.Query().Get("key")
	s, err := h.desk.Step(r.Context(), r.ref(), key)
	if err != nil {
		return err
	}
	if s.Status.Ended() {
		r.live = ""
	}
	v := &stepView{Ref: r.ref(), Record: s, Output: human.Readable(s.Text)}
	if v.Log, err = h.desk.Log(r.Context(), r.ref(), desk.LogQuery{Step: key}); err != nil {
		return err
	}
	return h.render(r, http.StatusOK, "step", key, v)
}

// A logView is a part of a log.
type logView struct {
	Run  desk.Ref
	Step string
	*desk.Log
}

func (h *handler) log(r *request) error {
	h.follow(r, r.ref())
	q := desk.LogQuery{Step: r.URL.Query().Get("step")}
	if text := r.URL.Query().Get("before"); text != "" {
		before, err := strconv.ParseInt(text, 10, 64)
		if err != nil || before <= 0 {
			return fmt.Errorf("the part of the log before %s: %w", text, store.ErrNotFound)
		}
		q.Before = before
	}
	l, err := h.desk.Log(r.Context(), r.ref(), q)
	if err != nil {
		return err
	}
	return h.render(r, http.StatusOK, "log", "Log of "+r.ref().ID, &logView{r.ref(), q.Step, l})
}

// picture answers with an image of its own, and not with a part of a page: an image runs no
// script and has no links.
func (h *handler) picture(r *request) error {
	svg, err := h.desk.Picture(r.Context(), r.ref())
	if err != nil {
		return err
	}
	head := r.w.Header()
	head.Set("Content-Type", "image/svg+xml")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'")
	_, _ = io.WriteString(r.w, svg) // the browser may have gone
	return nil
}

// text answers with the whole of a text that a page shows in part.
func (h *handler) text(r *request) error {
	s, err := h.desk.Step(r.Context(), r.ref(), r.URL.Query().Get("key"))
	if err != nil {
		return err
	}
	text := s.Text
	switch r.URL.Query().Get("of") {
	case "output":
	case "prompt":
		text = s.Prompt
	default:
		return store.ErrNotFound
	}
	setInert(r.w.Header(), "text/plain; charset=utf-8")
	_, _ = io.WriteString(r.w, text) // the browser may have gone
	return nil
}

// setInert sets the headers of content that others have made: no browser runs it.
func setInert(head http.Header, kind string) {
	head.Set("Content-Type", kind)
	head.Set("Content-Security-Policy", inertPolicy)
}

// pictures are the files that browsers show as they are. They cannot contain scripts.
var pictures = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// artifact answers with a file of a run: a picture as such, and anything else as a file to keep.
func (h *handler) artifact(r *request) error {
	name := r.URL.Query().Get("name")
	file, err := h.desk.OpenArtifact(r.Context(), r.ref(), name)
	if err != nil {
		return errors.Join(store.ErrNotFound, err)
	}
	defer file.Close()
	kind, disposition := "application/octet-stream", "attachment"
	if ext := strings.ToLower(path.Ext(name)); slices.Contains(pictures, ext) {
		kind, disposition = mime.TypeByExtension(ext), "inline"
	}
	setInert(r.w.Header(), kind)
	r.w.Header().Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": path.Base(name)}))
	_, _ = io.Copy(r.w, file) // the browser may have gone
	return nil
}
