package gen_test

import (
	"time"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A sample is a program for tests.
type sample struct {
	name string
	make func() *ir.Program
}

// samples are the programs whose generated code is kept under testdata/gen.
var samples = []sample{
	{"triage", triage},
	{"presence", presence},
	{"conditions", conditions},
	{"shapes", shapes},
	{"names", oddNames},
	{"texts", texts},
	{"settings", everySetting},
	{"loops", loops},
	{"approvals", approvals},
	{"sessions", sessions},
	{"graphfeature", feature},
	{"graphvalues", everyValue},
	{"jinja", jinjaSample},
	compiledSample("steps"),
	compiledSample("nightly"),
}

// triage is the workflow of the design: a script, a typed question, and a
// branch on the answer.
func triage() *ir.Program {
	b := newBuilder("triage")
	b.flow.Description = "Classify an issue\nand investigate bugs."
	b.flow.Env = []ir.EnvVar{
		{Name: "ARGUMENTS", Value: &expr.Input{Name: "arguments", Typ: types.Text}},
		{Name: "BASE_BRANCH", Value: &expr.Var{Var: expr.BaseBranch}},
		{Name: "LOG_DIR", Value: &expr.Var{Var: expr.LogDir}},
		{Name: "REJECTION_REASON", Value: lit("")},
	}
	b.bash("fetch", `gh issue view "$ARGUMENTS" --json title,body`)
	classify := b.prompt("classify", "Classify this issue:\n$fetch.output\n", "fetch")
	classify.Action.(*ir.Prompt).AppendContext = true
	classify.Output = object(
		required("kind", enum("bug", "feature", "question")),
		required("confidence", types.Float),
	)
	classify.Schema = `{"type":"object","properties":{"kind":{"type":"string","enum":["bug","feature","question"]},"confidence":{"type":"number"}},"required":["kind","confidence"]}`
	investigate := b.prompt("investigate", "Find the root cause of this $classify.output.kind.", "classify")
	b.when(investigate, "$classify.output.kind == 'bug' && $classify.output.confidence > 0.6", func(ref func(string) expr.Expr) expr.Expr {
		return and(eq(ref("$classify.output.kind"), "bug"), compare(ref("$classify.output.confidence"), expr.NumberGreater, "0.6"))
	})
	stop := b.cancel("stop", "not a bug but a $classify.output.kind", "classify")
	b.when(stop, "$classify.output.kind != 'bug'", func(ref func(string) expr.Expr) expr.Expr {
		return ne(ref("$classify.output.kind"), "bug")
	})
	return b.program()
}

// presence reads values that may not be there.
func presence() *ir.Program {
	b := newBuilder("presence")
	b.bash("probe", "exit 1")
	judge := b.prompt("judge", "Judge.", "probe")
	judge.Output = object(required("grade", types.Int), optional("note", types.Text))
	judge.Schema = `{"type":"object"}`
	report := b.bash("report", "printf '%s' $?!probe.output $?!probe.output $?!judge.output.grade $?!judge.output.note", "probe", "judge")
	report.Trigger = ir.AllDone
	summary := b.prompt("summary", "$?probe.output$?probe.output.name\nbased on $BASE_BRANCH in $WORKFLOW_ID", "probe")
	summary.Trigger = ir.OneSuccess
	late := b.cancel("late", "after $!report.output", "report", "~judge")
	late.Trigger = ir.NoneFailedMinOneSuccess
	b.when(late, "$!report.output == 'x' || $?!probe.output.name == 'y'", func(ref func(string) expr.Expr) expr.Expr {
		return or(eq(ref("$!report.output"), "x"), eq(ref("$?!probe.output.name"), "y"))
	})
	return b.program()
}

// conditions compares values of every type in every way.
func conditions() *ir.Program {
	b := newBuilder("conditions")
	b.bash("plain", "echo 7")
	p := b.prompt("typed", "Answer.")
	p.Output = object(
		required("kind", enum("bug", "feature")), required("name", types.Text), required("count", types.Int),
		required("score", types.Float), required("done", types.Bool), optional("note", types.Text),
		optional("size", types.Int), optional("ratio", types.Float), optional("sure", types.Bool), required("extra", types.Any),
	)
	b.flow.Inputs = append(b.flow.Inputs, &ir.Input{Name: "level", Type: types.Int, Default: &expr.Literal{Text: "3", Typ: types.Int}})
	add := func(id, text string, make func(ref func(string) expr.Expr) expr.Expr) {
		b.when(b.bash(id, "true", "plain", "typed"), text, make)
	}
	field := func(id, name string, make func(x expr.Expr) expr.Expr) {
		add(id, "$typed.output."+name, func(ref func(string) expr.Expr) expr.Expr { return make(ref("$typed.output." + name)) })
	}
	field("enum-same", "kind", func(x expr.Expr) expr.Expr { return eq(x, "bug") })
	field("enum-odd", "kind", func(x expr.Expr) expr.Expr { return ne(x, "bogus") })
	field("text", "name", func(x expr.Expr) expr.Expr { return eq(x, "Ann") })
	field("int-canonical", "count", func(x expr.Expr) expr.Expr { return eq(x, "3") })
	field("int-odd", "count", func(x expr.Expr) expr.Expr { return ne(x, "3.0") })
	field("int-above-half", "count", func(x expr.Expr) expr.Expr { return compare(x, expr.NumberGreater, "2.5") })
	field("int-at-most", "count", func(x expr.Expr) expr.Expr { return compare(x, expr.NumberLessEqual, "003") })
	field("float-canonical", "score", func(x expr.Expr) expr.Expr { return eq(x, "0.5") })
	field("float-odd", "score", func(x expr.Expr) expr.Expr { return eq(x, ".5") })
	field("bool", "done", func(x expr.Expr) expr.Expr { return eq(x, "true") })
	field("bool-not", "done", func(x expr.Expr) expr.Expr { return ne(x, "true") })
	field("bool-odd", "done", func(x expr.Expr) expr.Expr { return eq(x, "yes") })
	field("no-note", "note", func(x expr.Expr) expr.Expr { return eq(x, "") })
	field("size", "size", func(x expr.Expr) expr.Expr { return eq(x, "4") })
	field("size-above", "size", func(x expr.Expr) expr.Expr { return compare(x, expr.NumberGreater, "3") })
	field("ratio", "ratio", func(x expr.Expr) expr.Expr { return ne(x, "0.25") })
	field("sure", "sure", func(x expr.Expr) expr.Expr { return eq(x, "true") })
	field("extra", "extra", func(x expr.Expr) expr.Expr { return eq(x, `{"a":1}`) })
	add("number", "$plain.output > 5", func(ref func(string) expr.Expr) expr.Expr {
		return compare(ref("$plain.output"), expr.NumberGreater, "5")
	})
	add("two-fields", "$typed.output.count < $typed.output.score", func(ref func(string) expr.Expr) expr.Expr {
		return &expr.Compare{Op: expr.NumberLess, X: ref("$typed.output.count"), Y: ref("$typed.output.score")}
	})
	add("lazy-and", "$plain.output == '7' && $plain.output.a == 'x' && $typed.output.done == true", func(ref func(string) expr.Expr) expr.Expr {
		return and(and(eq(ref("$plain.output"), "7"), eq(ref("$plain.output.a"), "x")), eq(ref("$typed.output.done"), "true"))
	})
	add("lazy-or", "$plain.output == '7' || $plain.output.a == 'x'", func(ref func(string) expr.Expr) expr.Expr {
		return or(eq(ref("$plain.output"), "7"), eq(ref("$plain.output.a"), "x"))
	})
	add("nested", "($plain.output == '8' && $plain.output.a == 'x') || $plain.output.b == 'y'", func(ref func(string) expr.Expr) expr.Expr {
		return or(and(eq(ref("$plain.output"), "8"), eq(ref("$plain.output.a"), "x")), eq(ref("$plain.output.b"), "y"))
	})
	add("nested-or", "($typed.output.done == true || $plain.output.a == 'x') && !($plain.output.b == 'y' || $typed.output.count == 3)", func(ref func(string) expr.Expr) expr.Expr {
		return and(or(eq(ref("$typed.output.done"), "true"), eq(ref("$plain.output.a"), "x")),
			&expr.Not{X: or(eq(ref("$plain.output.b"), "y"), eq(ref("$typed.output.count"), "3"))})
	})
	add("mixed", "($plain.output == 'a' || $plain.output == 'b') && $typed.output.kind == 'bug'", func(ref func(string) expr.Expr) expr.Expr {
		return and(or(eq(ref("$plain.output"), "a"), eq(ref("$plain.output"), "b")), eq(ref("$typed.output.kind"), "bug"))
	})
	add("not", "!($plain.output == 'a' && $plain.output == 'b')", func(ref func(string) expr.Expr) expr.Expr {
		return &expr.Not{X: and(eq(ref("$plain.output"), "a"), eq(ref("$plain.output"), "b"))}
	})
	add("level", "$plain.output >= $LEVEL", func(ref func(string) expr.Expr) expr.Expr {
		return &expr.Compare{Op: expr.NumberGreaterEqual, X: ref("$plain.output"), Y: &expr.Input{Name: "level", Typ: types.Int}}
	})
	return b.program()
}

// shapes declares outputs of every type.
func shapes() *ir.Program {
	b := newBuilder("shapes")
	person := object(required("name", types.Text), optional("email", &types.Optional{Elem: types.Line}))
	a := b.prompt("analyse", "Analyse.")
	a.Output = object(
		&types.Field{Name: "owner", Type: person, Required: true, Doc: "Who owns it.\nMaybe: several lines\twith `marks`."},
		optional("deputy", object(required("name", types.Text))),
		required("tags", &types.List{Elem: types.Text}),
		required("people", &types.List{Elem: object(required("age", types.Int))}),
		required("levels", &types.List{Elem: enum("low", "high")}),
		required("nothing", &types.Optional{Elem: types.Int}),
		optional("anything", types.Any),
		required("free", object()),
		required("odd", enum("", ">=", "<=", "3rd", "a b", "a-b", "ÄRGER")),
		required("type", types.Text), required("Type", types.Text), required("-", types.Int),
		required("quo\"te", types.Text), required("Größe", types.Float), required("日本", types.Bool),
	)
	a.Schema = `{"type":"object"}`
	list := b.prompt("list", "List.")
	list.Output = &types.List{Elem: types.Int}
	list.Schema = `{"type":"array"}`
	open := b.prompt("open", "Anything.")
	open.Output, open.Schema = types.Any, `{"anyOf":[]}`
	flag := b.prompt("flag", "Yes?")
	flag.Output, flag.Schema = types.Bool, `{"type":"boolean"}`
	b.bash("use", "echo $analyse.output.owner.name $analyse.output.owner.email $analyse.output.deputy.name $analyse.output.tags "+
		"$analyse.output.owner $analyse.output.nothing $analyse.output.anything $analyse.output.odd $list.output $open.output.x $flag.output", "analyse", "list", "open", "flag")
	return b.program()
}

// oddNames has ids that are hard to make Go names of.
func oddNames() *ir.Program {
	b := newBuilder("names")
	ids := []string{
		"a-b", "a_b", "aB", "a.b", "string", "len", "err", "c", "in", "flow", "value", "context", "local", "type", "func", "run", "when",
		"run-classify", "classify", "when-classify", "done", "prompt", "reason", "workflow", "tasks", "inputs", "outputs", "init", "main",
		"größe", "日本", "1a", "---", "FETCH_ISSUE", "holds", "classify-output", "classify-schema", "quo\"te", "über\tmut", "with blanks, and commas", "any", "true", "nil", "_",
	}
	for i, id := range ids {
		n := b.bash(id, "true")
		if i > 0 {
			n.Needs = []*ir.Need{{Node: b.dag.Nodes[i-1]}}
		}
		if i == 1 {
			b.when(n, "x", func(func(string) expr.Expr) expr.Expr { return eq(&expr.Output{Node: ids[0]}, "x") })
		}
	}
	c := b.find("classify")
	c.Action = &ir.Prompt{Agent: ir.Agent{Name: "claude"}, Text: nil}
	c.Action = b.find("a-b").Action
	for _, id := range []string{"holds", "done", "prompt", "reason"} {
		n := b.prompt("use-"+id, "Use:\n$"+id+".output and\n$?"+id+".output.field", id)
		b.when(n, "($?!"+id+".output == 'x' && $?!"+id+".output.a == 'y') || $?!"+id+".output.b == 'z'", func(ref func(string) expr.Expr) expr.Expr {
			return or(and(eq(ref("$?!"+id+".output"), "x"), eq(ref("$?!"+id+".output.a"), "y")), eq(ref("$?!"+id+".output.b"), "z"))
		})
	}
	for i := range ids[:len(ids)-1] {
		b.dag.Nodes[i].Output = types.Text
	}
	b.find("classify").Output = object(required("output", enum("a", "b")), required("kind_output", object(required("x", types.Int))))
	return b.program()
}

// texts has literal text that is hard to quote.
func texts() *ir.Program {
	b := newBuilder("texts")
	b.flow.Description = "# Not a heading\n- not a list\n\n//go:build ignore\n*/ \x07 \ufeff `x` \"y\"\nimport (\n"
	b.prompt("short", `Say "hi" to C:\dir.`)
	b.prompt("backquotes", "Run `ls`\nand `pwd`\nthen \"stop\"\nor go on\nfor `$short.output` ever\n", "short")
	b.prompt("long", "one\ntwo \"2\"\nthree\nfour\nfive\n$short.output six\nseven\neight\nnine\nten\neleven $short.output", "short")
	b.prompt("controls", "tab\there\nbell\x07 zero\x00 bad\xff bom\ufeff cr\r\nnext\u2028sep \u202eright\n")
	b.prompt("blank", "\n\n  $short.output\n\n\n", "short")
	b.prompt("holes", "$short.output$short.output$ARGUMENTS$short.output.a$short.output.a", "short")
	b.prompt("nothing", "")
	b.bash("script", "#!/bin/bash\nset -euo pipefail\necho `date` \"$ARGUMENTS\"\ncat <<'EOF'\n$short.output\nEOF\n", "short")
	b.bash("plain", "set -e\nfor f in *.go; do\n\techo \"$f\" \\\n\t\t&& wc -l \"$f\"\ndone\n")
	b.cancel("stop", "multi\nline $short.output", "short", "backquotes", "long", "controls", "blank", "nothing", "script", "plain")
	return b.program()
}

// everySetting uses every setting of nodes and workflows.
func everySetting() *ir.Program {
	b := newBuilder("settings")
	b.flow.Exclusive = true
	b.flow.Tags = []string{"a", "b \"c\""}
	b.flow.Options = []ir.Option{{Name: "interactive", JSON: "true"}}
	b.flow.Env = []ir.EnvVar{{Name: "CONTEXT", Value: &expr.Input{Name: "context", Typ: types.Text}}}
	b.flow.Inputs = append(b.flow.Inputs,
		&ir.Input{Name: "must", Doc: "the input `must`", Type: types.Word},
		&ir.Input{Name: "retries", Type: types.Int, Default: &expr.Literal{Text: "3", Typ: types.Int}},
		&ir.Input{Name: "factor", Type: types.Float, Default: &expr.Literal{Text: "0", Typ: types.Float}},
		&ir.Input{Name: "loud", Type: types.Bool, Default: &expr.Literal{Text: "true", Typ: types.Bool}},
		&ir.Input{Name: "greeting", Type: types.Line, Default: lit("hi \"you\"")},
		&ir.Input{Name: "type", Type: enum("x", "y"), Default: lit("y")},
	)
	slow := b.bash("slow", "sleep 1; echo $BASE_BRANCH")
	slow.Timeout = 90 * time.Second
	slow.Retry = &ir.Retry{Max: 2, Delay: 1500 * time.Millisecond, All: true}
	slow.AlwaysRun = true
	slow.Artifact = "log"
	odd := b.bash("odd", "true")
	odd.Timeout = 1234567 * time.Nanosecond
	script := b.node("calc", "script", "slow", "~odd")
	script.Trigger = ir.OneSuccess
	script.Action = &ir.Script{Runtime: "uv", Source: "import os\nprint(wfc_1)\n", Name: "calc.py", Deps: []string{"numpy", "rich"},
		Bindings: []ir.Binding{
			{Name: "wfc_1", Value: &expr.Output{Node: "slow", Presence: expr.MaybeSkipped}, Literal: true},
			{Name: "wfc_2", Value: &expr.Input{Name: "retries", Typ: types.Int}, Integer: true},
		}}
	ask := b.prompt("ask", "$MUST $RETRIES $FACTOR $LOUD $GREETING $TYPE $ARTIFACTS_DIR $DOCS_DIR $LOG_DIR$LOOP_PREV_OUTPUT", "calc")
	ask.IdleTimeout = time.Minute
	ask.Retry = &ir.Retry{Max: 2, Delay: 3 * time.Second}
	ask.Action.(*ir.Prompt).Agent = ir.Agent{Name: "codex", Model: "large", FreshSession: true, Options: []ir.Option{
		{Name: "effort", JSON: `"high"`}, {Name: "allowed_tools", JSON: `["Read","Bash(ls)"]`},
	}}
	ask.Action.(*ir.Prompt).AppendContext = true
	return b.program()
}

// wrong reads values as if they were always there, although they are not.
func wrong() *ir.Program {
	b := newBuilder("wrong")
	b.bash("a", "false")
	prompt := b.prompt("prompt", "one\ntwo\n$a.output\nfour", "a")
	script := b.bash("script", "one\ntwo\nthree $a.output\n", "a")
	condition := b.bash("condition", "true", "a")
	b.when(condition, "$a.output == 'x'", func(ref func(string) expr.Expr) expr.Expr { return eq(ref("$a.output"), "x") })
	list := b.prompt("list", "$ARGUMENTS $a.output", "a")
	loop, _ := b.loop("loop", "one\ntwo\n$a.output", "DONE", 2, "a")
	test, tested := b.loop("test", "one", "DONE", 2, "a")
	b.test(tested, "one\ntwo $a.output")
	gate, _ := b.approval("gate", "one\n$a.output", "a")
	for _, n := range []*ir.Node{prompt, script, condition, list, loop, test, gate} {
		n.Trigger = ir.AllDone
	}
	return b.program()
}

// cut is a workflow so long that its flow is several functions.
func cut() *ir.Program { return big(250) }
