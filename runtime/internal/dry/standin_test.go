package dry

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

func TestMerge(t *testing.T) {
	for _, tt := range [][3]string{
		{"same", "same", "same"},
		{"x false y", "x true y", "x ‹true or false› y"},
		{"false", "true", "‹true or false›"},
		{"falsefalse", "truetrue", "‹true or false›‹true or false›"},
		{"false true false", "true true false", "‹true or false› true false"},
		{"true, false", "true, true", "true, ‹true or false›"},
		{"one", "two", "one"}, // not by a truth value
		{"a false b", "a true c", "a ‹true or false› b"},
		{"é false", "é true", "é ‹true or false›"},
	} {
		if got := mergeTexts(tt[0], tt[1]); got != tt[2] {
			t.Errorf("merge(%q, %q) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestReveal(t *testing.T) {
	s := &stand{}
	var v struct {
		A int64   `json:"a"`
		B float64 `json:"b,omitempty"`
		C []int64
	}
	s.fillOutput("n", &v)
	for text, want := range map[string]string{
		"none":                               "none",
		"7351846200000000":                   "‹n.output.a›",
		"x7351846200000001, 735184620000000": "x‹n.output.b›, 735184620000000",
		"7351846200000003":                   "7351846200000003", // nothing's
		"7351846200":                         "7351846200",
		"7351846200+00002":                   "7351846200+00002",
		"73518462007351846200000002":         "7351846200‹n.output.C[]›",
	} {
		if got := s.revealSymbols(text); got != want {
			t.Errorf("reveal(%q) = %q, want %q", text, got, want)
		}
	}
	if v.A == 0 || v.B == 0 || len(v.C) != 1 || strings.Join(s.numbers, "") != "‹n.output.a›‹n.output.b›‹n.output.C[]›" {
		t.Errorf("%+v %v", v, s.numbers)
	}
}

// A type that contains itself is filled to some depth.
func TestTypeThatContainsItself(t *testing.T) {
	type tree struct {
		Name string
		Left *tree
	}
	var v tree
	(&stand{}).fillOutput("n", &v)
	if v.Left == nil || v.Left.Left == nil || v.Left.Name != kernel.Symbol("n.output.Left.Name") {
		t.Errorf("%+v", v)
	}
}
