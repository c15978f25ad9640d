package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

// A program takes the policies of its own nodes and kinds along, in one order.
func TestMainFileTakesInterruptPolicies(t *testing.T) {
	b := newBuilder("policies")
	b.bash("deploy", "true")
	b.bash("pay", "true")
	_, l := b.loop("fix", "x", "DONE", 1)
	b.test(l, "true")
	p := b.program()
	for _, tt := range []struct {
		name string
		o    gen.Interrupts
		want string
	}{
		{"none", gen.Interrupts{}, ""},
		{"of others", gen.Interrupts{Kinds: map[string]string{"script": "fail"}, Nodes: map[string]string{"other": "ask"}}, ""},
		{"default", gen.Interrupts{Default: "ask"}, `OnInterrupt: sched.Policies{Default: sched.Ask},`},
		{"all", gen.Interrupts{
			Default: "rerun", Kinds: map[string]string{"loop": "ask", "bash": "fail", "script": "ask"},
			Nodes: map[string]string{"pay": "fail", "other": "ask", "deploy": "ask"},
		}, `OnInterrupt: sched.Policies{Default: sched.Rerun, Kinds: map[string]sched.Policy{"bash": sched.Fail, "loop": sched.Ask}, Nodes: map[string]sched.Policy{"deploy": sched.Ask, "pay": sched.Fail}},`},
	} {
		files := gen.Generate(p, gen.Options{Main: true, Defaults: gen.Defaults{OnInterrupt: tt.o}})
		code := strings.Join(strings.Fields(string(files[1].Content)), " ")
		if !strings.Contains(code, tt.want) || tt.want == "" && strings.Contains(code, "sched") {
			t.Errorf("%s: main.go has no %s:\n%s", tt.name, tt.want, files[1].Content)
		}
	}
}
