package serve

import (
	"net/http"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// A compareView compares two runs.
type compareView struct {
	A, B        string // as people name them: PLACE/RUN
	Left, Right *desk.Run
	Facts       []difference
	Inputs      []difference
	// Result compares the outputs of both runs, or is nil if none has any.
	Result *textPair
	Nodes  part[nodePair]
	// Recent are runs to choose from.
	Recent []desk.Row
}

// A difference is a value of both runs.
type difference struct {
	Name, Left, Right string
	Differs           bool
}

// A nodePair is a node of both runs; one of them may be nil.
type nodePair struct {
	Key         string
	Left, Right *nodeRow
	// Differs says that the statuses or the numbers of parts differ.
	Differs bool
}

func (h *handler) compare(r *request) error {
	v := &compareView{A: r.URL.Query().Get("a"), B: r.URL.Query().Get("b")}
	page, err := h.desk.Runs(r.Context(), desk.Query{RunQuery: runstore.RunQuery{Limit: pageLength}})
	if err != nil {
		return err
	}
	v.Recent = page.Rows
	if v.A == "" || v.B == "" {
		return h.render(r, http.StatusOK, "compare", "Compare runs", v)
	}
	if v.Left, err = h.desk.Run(r.Context(), readRef(v.A)); err != nil {
		return err
	}
	if v.Right, err = h.desk.Run(r.Context(), readRef(v.B)); err != nil {
		return err
	}
	v.compareRuns()
	return h.render(r, http.StatusOK, "compare", "Compare runs", v)
}

func readRef(text string) desk.Ref {
	place, id, _ := strings.Cut(strings.TrimSpace(text), "/")
	return desk.Ref{Place: place, ID: id}
}

func (v *compareView) compareRuns() {
	fact := func(list *[]difference, name, left, right string) {
		if left != "" || right != "" {
			*list = append(*list, difference{name, left, right, left != right})
		}
	}
	l, r := v.Left, v.Right
	fact(&v.Facts, "Workflow", l.Workflow, r.Workflow)
	fact(&v.Facts, "Status", statusWords(l.Status), statusWords(r.Status))
	fact(&v.Facts, "Outcome", l.Outcome, r.Outcome)
	fact(&v.Facts, "Time", took(l.Created, l.Finished), took(r.Created, r.Finished))
	fact(&v.Facts, "Cost", money(int64(l.CostUSD*1e6)), money(int64(r.CostUSD*1e6)))
	fact(&v.Facts, "Tokens", count(l.InputTokens+l.OutputTokens), count(r.InputTokens+r.OutputTokens))
	fact(&v.Facts, "Error", l.Error, r.Error)
	right := map[string]string{}
	for _, f := range readFields(r.Inputs) {
		right[f.Name] = f.Value
	}
	for _, f := range readFields(l.Inputs) {
		fact(&v.Inputs, f.Name, f.Value, right[f.Name])
		delete(right, f.Name)
	}
	for _, f := range readFields(r.Inputs) {
		if _, only := right[f.Name]; only {
			fact(&v.Inputs, f.Name, "", f.Value)
		}
	}
	if len(l.Outputs)+len(r.Outputs) > 0 {
		result := compareText("Result", human.Readable(string(l.Outputs)), human.Readable(string(r.Outputs)))
		v.Result = &result
	}
	v.Nodes = newPart(pairNodes(foldSteps(l.Parts), foldSteps(r.Parts)), 1, 2*rowsLength)
}

// pairNodes pairs nodes by their keys, in the order of the left run.
func pairNodes(left, right []nodeRow) []nodePair {
	at := map[string]int{}
	var pairs []nodePair
	for i := range left {
		at[left[i].Key] = len(pairs)
		pairs = append(pairs, nodePair{Key: left[i].Key, Left: &left[i]})
	}
	for i := range right {
		j, ok := at[right[i].Key]
		if !ok {
			j = len(pairs)
			pairs = append(pairs, nodePair{Key: right[i].Key})
		}
		pairs[j].Right = &right[i]
	}
	for i := range pairs {
		p := &pairs[i]
		p.Differs = p.Left == nil || p.Right == nil || p.Left.Status != p.Right.Status || p.Left.Parts != p.Right.Parts || reasonOf(p.Left.Record) != reasonOf(p.Right.Record)
	}
	return pairs
}

func reasonOf(s flow.Record) string {
	if s.Failure != nil {
		return s.Failure.Message
	}
	return s.Reason
}
