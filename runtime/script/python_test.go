//go:build unix

package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestPython(t *testing.T) {
	b := withPython(t)
	b.environ = append(b.environ, "PYTHONDONTWRITEBYTECODE=")
	b.file("helper.py", "h = 'helped'")
	for source, want := range map[string]string{
		"from __future__ import annotations\nimport sys, helper\nprint(helper.h, sys.argv, __name__)": "helped ['-c'] __main__",
		"import os, sys\nprint(os.environ['E'], len(sys.stdin.read()))":                               "env 0",
		"import json\nprint('result=' + json.dumps([x.upper() for x in json.loads(f'{v}')]))":         `result=["A"]`,
		"'doc'\nprint(__doc__, sorted(n for n in globals() if n[0] != '_'))":                          "doc []",
	} {
		got := b.output(flow.Script{Runtime: "python", Source: source, Env: []flow.Variable{{Name: "E", Value: "env"}}, Bindings: []flow.Binding{{Name: "v", Value: `["a"]`}}})
		if got != want {
			t.Errorf("%s\ngot  %q\nwant %q", source, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(b.work, "__pycache__")); err == nil {
		t.Error("compiled modules were left in the working directory")
	}
	for source, want := range map[string]string{
		"x = 1\n\nraise ValueError('boom')":                      "[exit 1]: Traceback",
		"x = 1\ny = = 2":                                         "line 2\n    y = = 2",
		"import sys; sys.exit(7)":                                "[exit 7]: no diagnostic output",
		"import sys; print('why', file=sys.stderr); sys.exit(2)": "[exit 2]: why",
	} {
		got := b.message(flow.Script{Runtime: "python", Source: source})
		if !strings.HasPrefix(got, "Script node 'x#2' failed [exit ") || !strings.Contains(got, want) || strings.Contains(got, "<string>") {
			t.Errorf("message %q, want %q in it", got, want)
		}
	}
}
