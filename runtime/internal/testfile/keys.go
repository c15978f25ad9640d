package testfile

import (
	"encoding/json"
	"maps"

	"github.com/wfc-lang/wfc/runtime/flow"
	"gopkg.in/yaml.v3"
)

// The tables of this file are the keys of test files, for Parse and for Schema.

func fileKeys() []field[File] {
	return []field[File]{
		{name: "workflow", doc: "path of the workflow, relative to this file; default: the file beside this one, or above `tests`, with its name", shape: textShape,
			read: func(d *decoder, n *yaml.Node, f *File) {
				f.Workflow, f.WorkflowAt = d.text(n, "`workflow`"), placeOf(resolve(n))
			}},
		{name: "tests", doc: "the tests", required: true, shape: shape{"type": "array", "items": refShape("test"), "minItems": 1},
			read: func(d *decoder, n *yaml.Node, f *File) {
				n = resolve(n)
				if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
					d.fault(n, "`tests` must be a list of tests")
					return
				}
				for _, item := range n.Content {
					t := &Test{Place: placeOf(resolve(item))}
					if object(d, item, "a test", testKeys(), t) {
						f.Tests = append(f.Tests, t)
					}
				}
			}},
	}
}

func testKeys() []field[Test] {
	return []field[Test]{
		{name: "name", doc: "name of the test, for reports and --run", required: true, shape: textShape,
			read: func(d *decoder, n *yaml.Node, t *Test) {
				if t.Name = d.text(n, "`name`"); t.Name == "" && resolve(n).Tag == "!!str" {
					d.fault(resolve(n), "a test needs a name that is not empty")
				}
			}},
		{name: "inputs", doc: "inputs of the run", shape: mapShape(anyShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Inputs = entries(d, n, "`inputs`", func(n *yaml.Node) json.RawMessage { return d.json(n) })
			}},
		{name: "files", doc: "files of the working folder, by path", shape: mapShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Files = entries(d, n, "`files`", func(n *yaml.Node) string { return d.text(n, "the content of a file") })
			}},
		{name: "fixture", doc: "folder whose content is copied into the working folder, relative to this file", shape: textShape,
			read: func(d *decoder, n *yaml.Node, t *Test) { t.Fixture = d.text(n, "`fixture`") }},
		{name: "git", doc: "make the working folder a git repository with one commit of all files", shape: flagShape,
			read: func(d *decoder, n *yaml.Node, t *Test) { t.Git = d.flag(n, "`git`") }},
		{name: "env", doc: "environment variables of scripts", shape: mapShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Env = entries(d, n, "`env`", func(n *yaml.Node) string { return d.text(n, "a variable") })
			}},
		{name: "now", doc: "time at which the run starts, such as 2027-01-31T09:00:00Z", shape: textShape,
			read: func(d *decoder, n *yaml.Node, t *Test) { t.Now = d.time(n, "`now`") }},
		{name: "agents", doc: "replies to the prompts of a node, in order; the last one repeats; `*` is for nodes without replies", shape: mapShape(manyShape(refShape("reply"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Agents = entries(d, n, "`agents`", func(n *yaml.Node) []Reply { return list(n, d.reply) })
			}},
		{name: "bash", doc: "results of bash nodes: an output, {exit: 1}, or real to run the script", shape: mapShape(manyShape(refShape("program"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Bash = entries(d, n, "`bash`", func(n *yaml.Node) []Program { return list(n, d.program) })
			}},
		{name: "scripts", doc: "results of script nodes, like `bash`", shape: mapShape(manyShape(refShape("program"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Scripts = entries(d, n, "`scripts`", func(n *yaml.Node) []Program { return list(n, d.program) })
			}},
		{name: "commands", doc: "stand-ins for commands that real scripts call, by name", shape: mapShape(manyShape(refShape("command"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Commands = entries(d, n, "`commands`", func(n *yaml.Node) []Command { return list(n, d.command) })
			}},
		{name: "answers", doc: "answers of a person to the questions of a node, in order; the last one repeats; none leaves the run paused", shape: mapShape(manyShape(refShape("answer"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Answers = entries(d, n, "`answers`", func(n *yaml.Node) []Answer { return list(n, d.answer) })
			}},
		{name: "interrupt", doc: "steps during which the process is killed once; the run then resumes", shape: manyShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Interrupt = list(n, func(n *yaml.Node) Name { return d.name(n, "a step") })
			}},
		{name: "cancel", doc: "steps during which a person cancels the run", shape: manyShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Cancel = list(n, func(n *yaml.Node) Name { return d.name(n, "a step") })
			}},
		{name: "expect", doc: "expectations; without `status` the run must complete", shape: refShape("expect"),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Expect.Place = placeOf(resolve(n))
				object(d, n, "`expect`", expectKeys(), &t.Expect)
			}},
		{name: "snapshot", doc: "compare the transcript with the golden file beside this file; --update rewrites it", shape: flagShape,
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Snapshot, t.SnapshotAt = d.flag(n, "`snapshot`"), placeOf(resolve(n))
			}},
	}
}

// classes are the classes of failures by their names in test files.
var classes = []string{"unknown", string(flow.ClassTransient), string(flow.ClassFatal)}

// class decodes a class of failures.
func (d *decoder) class(n *yaml.Node) flow.Class {
	if class := d.oneOf(n, "class", classes); class != "unknown" {
		return flow.Class(class)
	}
	return flow.ClassUnknown
}

func replyKeys() []field[Reply] {
	return []field[Reply]{
		{name: "text", doc: "the reply", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Text = d.text(n, "`text`") }},
		{name: "json", doc: "the structured reply", shape: anyShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Text = string(d.json(n)) }},
		{name: "structured", doc: "the same as `json`, as recordings and scripted replies call it", shape: anyShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Text = string(d.json(n)) }},
		{name: "fail", doc: "message of the failure in place of a reply", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Fail = d.text(n, "`fail`") }},
		{name: "class", doc: "class of the failure: a transient failure is retried", shape: enumShape(classes...), read: func(d *decoder, n *yaml.Node, r *Reply) { r.Class = d.class(n) }},
		{name: "prompt", doc: "regular expression of the prompts that get this reply", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Prompt = d.pattern(n, "`prompt`") }},
		{name: "files", doc: "files that the agent writes into the working folder, by path", shape: mapShape(textShape), read: func(d *decoder, n *yaml.Node, r *Reply) {
			r.Files = entries(d, n, "`files`", func(n *yaml.Node) string { return d.text(n, "the content of a file") })
		}},
		{name: "cost", doc: "cost of the turn in US dollars", shape: numberShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Cost = d.float(n, "`cost`") }},
		{name: "tokens", doc: "tokens of the turn", shape: numberShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Tokens = int64(d.int(n, "`tokens`")) }},
		{name: "delay", doc: "duration of the turn on the virtual clock, such as 30s", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Delay = d.duration(n, "`delay`") }},
		{name: "session", doc: "id of the agent's session", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Session = d.text(n, "`session`") }},
	}
}

func programKeys() []field[Program] {
	return []field[Program]{
		{name: "output", doc: "standard output", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Output = d.text(n, "`output`") }},
		{name: "json", doc: "standard output as JSON", shape: anyShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Output = string(d.json(n)) }},
		{name: "error", doc: "standard error", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Error = d.text(n, "`error`") }},
		{name: "exit", doc: "exit code", shape: numberShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Exit = d.int(n, "`exit`") }},
		{name: "delay", doc: "duration on the virtual clock, such as 30s", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Delay = d.duration(n, "`delay`") }},
		{name: "fail", doc: "message of a failure without an exit code, such as a timeout", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Fail = d.text(n, "`fail`") }},
		{name: "class", doc: "class of the failure of `fail`: a transient failure is retried", shape: enumShape(classes...), read: func(d *decoder, n *yaml.Node, p *Program) { p.Class = d.class(n) }},
	}
}

func commandKeys() []field[Command] {
	return []field[Command]{
		{name: "args", doc: "pattern of the arguments, joined by spaces; * is any text", shape: textShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Args = d.text(n, "`args`") }},
		{name: "output", doc: "standard output", shape: textShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Output = d.text(n, "`output`") }},
		{name: "json", doc: "standard output as JSON", shape: anyShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Output = string(d.json(n)) }},
		{name: "error", doc: "standard error", shape: textShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Error = d.text(n, "`error`") }},
		{name: "exit", doc: "exit code", shape: numberShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Exit = d.int(n, "`exit`") }},
	}
}

// answerKeys are the answers to gates and reviews. `choice` takes the other ones, such as
// the decisions of a gate.
func answerKeys() []field[Answer] {
	choose := func(choice string) func(d *decoder, n *yaml.Node, a *Answer) {
		return func(d *decoder, n *yaml.Node, a *Answer) {
			if a.Choice != "" {
				d.fault(resolve(n), "an answer has one choice, not `%s` and `%s`", a.Choice, choice)
			}
			a.Choice, a.Text = choice, d.text(n, "`"+choice+"`")
		}
	}
	return []field[Answer]{
		{name: "approve", doc: "approve with this comment", shape: textShape, read: choose("approve")},
		{name: "reject", doc: "reject with these words", shape: textShape, read: choose("reject")},
		{name: "edit", doc: "replace the reviewed output by this text", shape: textShape, read: choose("edit")},
		{name: "feedback", doc: "have the agent make the output again, with these words", shape: textShape, read: choose("feedback")},
		{name: "signal", doc: "report the awaited event with this data", shape: textShape, read: choose("signal")},
		{name: "choice", doc: "any other choice of the question", shape: textShape, read: func(d *decoder, n *yaml.Node, a *Answer) { a.Choice = d.text(n, "`choice`") }},
		{name: "text", doc: "words beside the choice, or the answer to a question without choices", shape: textShape, read: func(d *decoder, n *yaml.Node, a *Answer) { a.Text = d.text(n, "`text`") }},
		{name: "after", doc: "time until the answer on the virtual clock, such as 2h", shape: textShape, read: func(d *decoder, n *yaml.Node, a *Answer) { a.After = d.duration(n, "`after`") }},
	}
}

// reply decodes a reply: its text, or a mapping.
func (d *decoder) reply(n *yaml.Node) Reply {
	r := Reply{Place: placeOf(n)}
	if n.Kind == yaml.MappingNode {
		if object(d, n, "a reply", replyKeys(), &r) && r.Fail == "" && r.Class != "" {
			d.fault(n, "`class` belongs to a failure; add `fail` with its message")
		}
		return r
	}
	r.Text = d.text(n, "a reply")
	return r
}

// program decodes the result of a program: its output, real, or a mapping.
func (d *decoder) program(n *yaml.Node) Program {
	p := Program{Place: placeOf(n)}
	switch {
	case n.Kind == yaml.MappingNode:
		if object(d, n, "a result", programKeys(), &p) && p.Fail == "" && p.Class != "" {
			d.fault(n, "`class` belongs to a failure; add `fail` with its message")
		}
	case n.Kind == yaml.ScalarNode && n.Value == "real" && n.Style == 0:
		p.Real = true
	default:
		p.Output = d.text(n, "a result")
	}
	return p
}

// command decodes a stand-in for a command: its output, real, or a mapping.
func (d *decoder) command(n *yaml.Node) Command {
	c := Command{Place: placeOf(n)}
	switch {
	case n.Kind == yaml.MappingNode:
		object(d, n, "a stand-in for a command", commandKeys(), &c)
	case n.Kind == yaml.ScalarNode && n.Value == "real" && n.Style == 0:
		c.Real = true
	default:
		c.Output = d.text(n, "a stand-in for a command")
	}
	return c
}

// NoAnswer is the answer that leaves a question open.
const NoAnswer = "none"

// answer decodes an answer: a choice, none, or a mapping.
func (d *decoder) answer(n *yaml.Node) Answer {
	a := Answer{Place: placeOf(n)}
	if n.Kind == yaml.MappingNode {
		if object(d, n, "an answer", answerKeys(), &a) && a.Choice == "" && a.Text == "" {
			d.fault(n, "an answer needs a choice, such as `approve`, or `text`")
		}
		return a
	}
	if a.Choice = d.text(n, "an answer"); a.Choice == NoAnswer {
		a.Choice = ""
	}
	return a
}

// The shapes of plain values.
var (
	anyShape    = shape{}
	textShape   = shape{"type": []string{"string", "number", "boolean"}}
	flagShape   = shape{"type": "boolean"}
	numberShape = shape{"type": "number", "minimum": 0}
)

func refShape(name string) shape { return shape{"$ref": "#/$defs/" + name} }

func mapShape(of shape) shape { return shape{"type": "object", "additionalProperties": of} }

func enumShape(values ...string) shape { return shape{"enum": values} }

// manyShape is one value or a list of such values.
func manyShape(of shape) shape {
	return shape{"anyOf": []any{of, shape{"type": "array", "items": of, "minItems": 1}}}
}

// shapeOf is the shape of a mapping with the keys of a table.
func shapeOf[T any](fields []field[T]) shape {
	properties, required := shape{}, []string{}
	for _, f := range fields {
		property := shape{"description": f.doc}
		maps.Copy(property, f.shape)
		properties[f.name] = property
		if f.required {
			required = append(required, f.name)
		}
	}
	s := shape{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// or is a shape or a plain value in its place.
func or(s shape, plain ...shape) shape {
	all := []any{s}
	for _, p := range plain {
		all = append(all, p)
	}
	return shape{"anyOf": all}
}

// Schema returns the JSON Schema of test files.
func Schema() []byte {
	s := shapeOf(fileKeys())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$comment"] = "Made by `wfc schema test`."
	s["title"] = "Tests of a wfc workflow"
	notObject := shape{"not": shape{"type": "object"}}
	s["$defs"] = shape{
		"test":    shapeOf(testKeys()),
		"reply":   or(shapeOf(replyKeys()), textShape),
		"program": or(shapeOf(programKeys()), textShape),
		"command": or(shapeOf(commandKeys()), textShape),
		"answer":  or(shapeOf(answerKeys()), textShape),
		"expect":  shapeOf(expectKeys()),
		"node":    or(shapeOf(nodeKeys()), refShape("matcher")),
		"matcher": or(shapeOf(matcherKeys()), notObject),
		"number":  or(shapeOf(rangeKeys()), numberShape),
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // shapes are plain data
	}
	return append(text, '\n')
}
