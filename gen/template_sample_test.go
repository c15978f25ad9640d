package gen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/jinja"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Lookup gives names in Jinja2 templates a meaning: inputs and nodes. Those whose
// names begin with maybe may have been skipped.
func (b *builder) Lookup(name string, at source.Span) (expr.Expr, bool) {
	for _, in := range b.flow.Inputs {
		if in.Name == name {
			return &expr.Input{At: at, Name: name, Typ: in.Type}, true
		}
	}
	for _, n := range b.dag.Nodes {
		if n.ID == name {
			s := &expr.StepValue{At: at, Node: name, Typ: n.Output}
			if strings.HasPrefix(name, "maybe") {
				s.Presence = expr.MaybeSkipped
			}
			return s, true
		}
	}
	return nil, false
}

// Names implements jinja.Scope.
func (b *builder) Names() []string { return nil }

// jinja parses a text as a Jinja2 template.
func (b *builder) jinja(t source.Text, opt jinja.Options) *template.Template {
	bag := &diag.Bag{}
	out := jinja.Template(t, b, opt, bag)
	for _, d := range bag.Sorted() {
		panic(d.Message)
	}
	return out
}

// asks makes a prompt of a Jinja2 template.
func (b *builder) asks(id, text string, after ...string) *ir.Node {
	n := b.node(id, "prompt", after...)
	t := b.block("prompt", text)
	a := &ir.Prompt{Agent: ir.Agent{Name: "claude"}}
	n.Action = a
	b.late = append(b.late, func() { a.Text = b.jinja(t, jinja.Options{}) })
	return n
}

// only sets a condition as a Jinja2 template.
func (b *builder) only(n *ir.Node, text string) {
	n.WhenText = text
	at := b.write("    if: " + text)
	b.write("\n")
	t := source.NewText(text, b.file, []source.Run{{Decoded: 0, Source: at.Start + len("    if: ")}}, at.End)
	b.late = append(b.late, func() {
		parsed := b.jinja(t, jinja.Options{Condition: true})
		n.When = &expr.Holds{At: at, X: &expr.Str{At: at, X: jinja.Value(parsed)}}
	})
}

// bound makes a script of a Jinja2 template, whose values go into variables.
func (b *builder) bound(id, text string, after ...string) *ir.Node {
	n := b.node(id, "bash", after...)
	t := b.block("bash", text)
	a := &ir.Bash{}
	n.Action = a
	b.late = append(b.late, func() {
		a.Template = b.jinja(t, jinja.Options{})
		a.Original = a.Template
		a.Template.Parts = boundParts(a.Template.Parts)
	})
	return n
}

func boundParts(parts []template.Part) []template.Part {
	var list []template.Part
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Hole:
			list = append(list, &template.Bound{Name: "WFC_1", Before: `"${`, After: `}"`, Expr: p.Expr, Start: p.Start, End: p.End})
			continue
		case *template.For:
			p.Body = boundParts(p.Body)
		case *template.If:
			for i := range p.Branches {
				p.Branches[i].Body = boundParts(p.Branches[i].Body)
			}
		}
		list = append(list, p)
	}
	return list
}

// jinjaSample has templates of all kinds.
func jinjaSample() *ir.Program {
	b := newBuilder("jinja")
	b.flow.Inputs = append(b.flow.Inputs,
		&ir.Input{Name: "count", Type: types.Int, Default: &expr.Literal{Text: "3", Typ: types.Int}},
		&ir.Input{Name: "loud", Type: types.Bool},
		&ir.Input{Name: "nick", Type: &types.Optional{Elem: types.Word}},
	)
	orders := b.bash("orders", "fetch")
	orders.Output = types.Any
	customer := b.bash("customer", "fetch")
	customer.Output = &types.Struct{Open: true, Fields: []*types.Field{
		{Name: "name", Type: types.Line, Required: true}, {Name: "visits", Type: types.Int, Required: true},
		{Name: "active", Type: types.Bool, Required: true}, {Name: "note", Type: types.Text},
	}}
	rows := b.bash("rows", "fetch")
	rows.Output = &types.List{Elem: &types.Struct{Open: true, Fields: []*types.Field{{Name: "id", Type: types.Int, Required: true}}}}
	maybe := b.bash("maybe", "fetch")
	maybe.Output = types.Any
	b.only(maybe, "{{ count > 3 and loud }}")

	all := []string{"orders", "customer", "rows", "maybe"}
	greet := b.asks("greet", "Hello, {{ customer.name }}!\nYour {{ customer.visits }} visits, {{ rows | length }} rows, {{ nick or 'friend' }}.\n{{ 'LOUD' if loud else 'quiet' }} {{ customer.note }}\n", all...)
	greet.Trigger = ir.AllDone
	total := b.asks("total", "total={{ orders.count + 1 }} and {{ orders['items'] | map(attribute='price') | sum }} for {{ customer.name | upper }}\n", all...)
	total.Trigger = ir.AllDone
	report := b.asks("report", `# Report for {{ customer.name }}
{%- macro line(item, sign='-') %}
{{ sign }} {{ item.name }}: {{ '%.2f' | format(item.price) }}
{%- endmacro %}
{% set ns = namespace(sum=0) %}
{%- for item in orders['items'] if item.price > 0 %}
{{ loop.index }}/{{ loop.length }}{{ line(item) }}
{%- set ns.sum = ns.sum + item.price %}
{%- else %}
nothing
{%- endfor %}
{% if customer.active and count >= 3 %}active{% elif maybe is defined %}{{ maybe.text }}{% else %}gone{% endif %}
{% set heading %}Sum of {{ customer.name }}{% endset -%}
{{ heading }}: {{ ns.sum }}
`, all...)
	report.Trigger = ir.AllDone
	send := b.bound("send", "{% for id in rows %}\necho {{ id.id }}\n{% endfor %}\n{% if loud %}say {{ customer.name }}{% endif %}\n", all...)
	send.Trigger = ir.AllDone
	last := b.asks("last", "done\n", all...)
	last.Trigger = ir.AllDone
	b.only(last, "{{ maybe.approved or customer.visits > 2 }}")
	return b.program()
}

var jinjaResults = map[string]flow.Result{
	"orders":   text(`{"count": 2, "items": [{"name": "a", "price": 1.5}, {"name": "b", "price": 2}, {"name": "c", "price": 0}]}`),
	"customer": text(`{"name": "Ada", "visits": 3, "active": true, "note": "hi"}`),
	"rows":     text(`[{"id": 7}, {"id": 8}]`),
	"maybe":    text(`{"text": "m"}`),
}

func TestJinjaTemplates(t *testing.T) {
	o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(`{"loud":false}`), Results: jinjaResults})
	for id, want := range map[string]string{
		"greet":  "Hello, Ada!\nYour 3 visits, 2 rows, friend.\nquiet hi",
		"total":  "total=3 and 3.5 for ADA",
		"report": "# Report for Ada\n\n1/2\n- a: 1.50\n2/2\n- b: 2.00\nactive\nSum of Ada: 3.5",
		"last":   "done",
	} {
		var p flow.Prompt
		o.payload(t, id, &p)
		if p.Text != want {
			t.Errorf("%s asks %q, not %q", id, p.Text, want)
		}
	}
	var send flow.Bash
	o.payload(t, "send", &send)
	if want := "\necho \"${WFC_1}\"\n\necho \"${WFC_1_2}\"\n\n"; send.Script != want {
		t.Errorf("the script is %q, not %q", send.Script, want)
	}
	if len(send.Bindings) != 2 || send.Bindings[0] != (flow.Binding{Name: "WFC_1", Value: "7"}) || send.Bindings[1] != (flow.Binding{Name: "WFC_1_2", Value: "8"}) {
		t.Errorf("the script gets %+v", send.Bindings)
	}
	if got := o.Step("maybe"); got.Status != flow.Skipped {
		t.Errorf("maybe ended as %+v", got)
	}
}

// What fails in a template fails its node before the agent is asked.
func TestJinjaFailures(t *testing.T) {
	results := map[string]flow.Result{
		"orders":   text(`{"items": []}`),
		"customer": text(`{"name": "Ada", "visits": 1, "active": false}`),
		"rows":     text(`[]`),
	}
	o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(`{"loud":true}`), Results: results})
	for id, want := range map[string]string{
		"greet": "'dict object' has no attribute 'note' in {{ customer.note }} (line 20)",
		"total": "'dict object' has no attribute 'count' in {{ orders.count + 1 }} (line 23)",
	} {
		got := o.Step(id)
		if got.Status != flow.Failed || got.Failure.Message != want || got.Failure.Reason != "template" {
			t.Errorf("%s ended as %s with %+v", id, got.Status, got.Failure)
		}
		if _, asked := o.Actions[id]; asked {
			t.Errorf("%s was asked", id)
		}
	}
	if got := o.Step("last"); got.Status != flow.Skipped {
		t.Errorf("last ended as %+v", got)
	}
}

// A template with thousands of lines is a few strings.
func TestLongTemplateStaysSmall(t *testing.T) {
	b := newBuilder("long")
	orders := b.bash("orders", "fetch")
	orders.Output = types.Any
	b.asks("ask", strings.Repeat(strings.Repeat("a line of text\n", 40)+"{{ orders.count }}\n", 50), "orders")
	code := gen.Generate(b.program(), gen.Options{})[0].Content
	if n := strings.Count(string(code), "e.Text("); n != 50 {
		t.Errorf("%d of 50 holes", n)
	}
	if n := strings.Count(string(code), " + // long.yaml:"); n > 200 {
		t.Errorf("%d lines are strings of their own", n)
	}
}
