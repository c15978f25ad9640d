package serve

import (
	"net/http"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/human"
)

// A textsView compares the texts of a step in two runs.
type textsView struct {
	A, B, Key   string
	Left, Right desk.Ref
	Texts       []textPair
}

// A textPair is a text of both runs.
type textPair struct {
	Name string
	// Lines are the lines that differ, with some around them. Without any, the texts are equal.
	Lines []diffLine
	// Left is how many bytes of the longer text are not compared.
	Left int
}

// A diffLine is a line of a comparison.
type diffLine struct{ Class, Text string }

func (h *handler) compareTexts(r *request) error {
	v := &textsView{A: r.URL.Query().Get("a"), B: r.URL.Query().Get("b"), Key: r.URL.Query().Get("key")}
	v.Left, v.Right = readRef(v.A), readRef(v.B)
	left, err := h.desk.Step(r.Context(), v.Left, v.Key)
	if err != nil {
		return err
	}
	right, err := h.desk.Step(r.Context(), v.Right, v.Key)
	if err != nil {
		return err
	}
	output := "Output"
	if left.Prompt+right.Prompt != "" {
		v.Texts = append(v.Texts, compareText("Prompt or script", left.Prompt, right.Prompt))
		output = "Reply or output"
	}
	v.Texts = append(v.Texts, compareText(output, human.Readable(left.Text), human.Readable(right.Text)))
	return h.render(r, http.StatusOK, "texts", "Compare "+v.Key, v)
}

// compareText compares what pages show of two texts.
func compareText(name, left, right string) textPair {
	l, r := clip(left), clip(right)
	p := textPair{Name: name, Left: max(l.Left, r.Left)}
	// The names of the texts are in two lines of their own.
	_, changes, _ := strings.Cut(udiff.Unified("a", "b", l.Text, r.Text), "\n+++ b\n")
	for line := range strings.Lines(changes) {
		class := map[byte]string{'+': "added", '-': "removed", '@': "place"}[line[0]]
		p.Lines = append(p.Lines, diffLine{class, line})
	}
	return p
}
