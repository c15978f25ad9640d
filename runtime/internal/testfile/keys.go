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
				f.Workflow, f.WorkflowAt = d.decodeText(n, "`workflow`"), placeOf(resolveAlias(n))
			}},
		{name: "tests", doc: "the tests", required: true, shape: shape{"type": "array", "items": refShape("test"), "minItems": 1},
			read: func(d *decoder, n *yaml.Node, f *File) {
				n = resolveAlias(n)
				if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
					d.addFault(n, "`tests` must be a list of tests")
					return
				}
				for _, item := range n.Content {
					t := &Test{Place: placeOf(resolveAlias(item))}
					if decodeObject(d, item, "a test", testKeys(), t) {
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
				if t.Name = d.decodeText(n, "`name`"); t.Name == "" && resolveAlias(n).Tag == "!!str" {
					d.addFault(resolveAlias(n), "a test needs a name that is not empty")
				}
			}},
		{name: "inputs", doc: "inputs of the run", shape: mapShape(anyShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Inputs = decodeEntries(d, n, "`inputs`", func(n *yaml.Node) json.RawMessage { return d.encodeJSON(n) })
			}},
		{name: "files", doc: "files of the working folder, by path", shape: mapShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Files = decodeEntries(d, n, "`files`", func(n *yaml.Node) string { return d.decodeText(n, "the content of a file") })
			}},
		{name: "fixture", doc: "folder whose content is copied into the working folder, relative to this file", shape: textShape,
			read: func(d *decoder, n *yaml.Node, t *Test) { t.Fixture = d.decodeText(n, "`fixture`") }},
		{name: "git", doc: "make the working folder a git repository with one commit of all files", shape: flagShape,
			read: func(d *decoder, n *yaml.Node, t *Test) { t.Git = d.decodeBool(n, "`git`") }},
		{name: "env", doc: "environment variables of scripts", shape: mapShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Env = decodeEntries(d, n, "`env`", func(n *yaml.Node) string { return d.decodeText(n, "a variable") })
			}},
		{name: "now", doc: "time at which the run starts, such as 2027-01-31T09:00:00Z", shape: textShape,
			read: func(d *decoder, n *yaml.Node, t *Test) { t.Now = d.decodeTime(n, "`now`") }},
		{name: "agents", doc: "replies to the prompts of a node, in order; the last one repeats; `*` is for nodes without replies", shape: mapShape(manyShape(refShape("reply"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Agents = decodeEntries(d, n, "`agents`", func(n *yaml.Node) []Reply { return decodeList(n, d.decodeReply) })
			}},
		{name: "bash", doc: "results of bash nodes: an output, {exit: 1}, or real to run the script", shape: mapShape(manyShape(refShape("program"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Bash = decodeEntries(d, n, "`bash`", func(n *yaml.Node) []Program { return decodeList(n, d.decodeProgram) })
			}},
		{name: "scripts", doc: "results of script nodes, like `bash`", shape: mapShape(manyShape(refShape("program"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Scripts = decodeEntries(d, n, "`scripts`", func(n *yaml.Node) []Program { return decodeList(n, d.decodeProgram) })
			}},
		{name: "commands", doc: "stand-ins for commands that real scripts call, by name", shape: mapShape(manyShape(refShape("command"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Commands = decodeEntries(d, n, "`commands`", func(n *yaml.Node) []Command { return decodeList(n, d.decodeCommand) })
			}},
		{name: "answers", doc: "answers of a person to the questions of a node, in order; the last one repeats; none leaves the run paused", shape: mapShape(manyShape(refShape("answer"))),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Answers = decodeEntries(d, n, "`answers`", func(n *yaml.Node) []Answer { return decodeList(n, d.decodeAnswer) })
			}},
		{name: "interrupt", doc: "steps during which the process is killed once; the run then resumes", shape: manyShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Interrupt = decodeList(n, func(n *yaml.Node) Name { return d.decodeName(n, "a step") })
			}},
		{name: "cancel", doc: "steps during which a person cancels the run", shape: manyShape(textShape),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Cancel = decodeList(n, func(n *yaml.Node) Name { return d.decodeName(n, "a step") })
			}},
		{name: "expect", doc: "expectations; without `status` the run must complete", shape: refShape("expect"),
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Expect.Place = placeOf(resolveAlias(n))
				decodeObject(d, n, "`expect`", expectKeys(), &t.Expect)
			}},
		{name: "snapshot", doc: "compare the transcript with the golden file beside this file; --update rewrites it", shape: flagShape,
			read: func(d *decoder, n *yaml.Node, t *Test) {
				t.Snapshot, t.SnapshotAt = d.decodeBool(n, "`snapshot`"), placeOf(resolveAlias(n))
			}},
	}
}

// classes are the classes of failures by their names in test files.
var classes = []string{"unknown", string(flow.ClassTransient), string(flow.ClassFatal)}

// decodeClass decodes a class of failures.
func (d *decoder) decodeClass(n *yaml.Node) flow.Class {
	if class := d.oneOf(n, "class", classes); class != "unknown" {
		return flow.Class(class)
	}
	return flow.ClassUnknown
}

func replyKeys() []field[Reply] {
	return []field[Reply]{
		{name: "text", doc: "the reply", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Text = d.decodeText(n, "`text`") }},
		{name: "json", doc: "the structured reply", shape: anyShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Text = string(d.encodeJSON(n)) }},
		{name: "structured", doc: "the same as `json`, as recordings and scripted replies call it", shape: anyShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Text = string(d.encodeJSON(n)) }},
		{name: "fail", doc: "message of the failure in place of a reply", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Fail = d.decodeText(n, "`fail`") }},
		{name: "class", doc: "class of the failure: a transient failure is retried", shape: enumShape(classes...), read: func(d *decoder, n *yaml.Node, r *Reply) { r.Class = d.decodeClass(n) }},
		{name: "quota", doc: "the agent refuses, because its quota is used up: for this time on the virtual clock, such as 3h, or `unknown` if it names no time", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) {
			if r.Quota = -1; resolveAlias(n).Value != "unknown" {
				r.Quota = d.decodeDuration(n, "`quota`")
			}
		}},
		{name: "prompt", doc: "regular expression of the prompts that get this reply", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Prompt = d.decodePattern(n, "`prompt`") }},
		{name: "files", doc: "files that the agent writes into the working folder, by path", shape: mapShape(textShape), read: func(d *decoder, n *yaml.Node, r *Reply) {
			r.Files = decodeEntries(d, n, "`files`", func(n *yaml.Node) string { return d.decodeText(n, "the content of a file") })
		}},
		{name: "cost", doc: "cost of the turn in US dollars", shape: numberShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Cost = d.decodeFloat(n, "`cost`") }},
		{name: "tokens", doc: "tokens of the turn", shape: numberShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Tokens = int64(d.decodeInt(n, "`tokens`")) }},
		{name: "delay", doc: "duration of the turn on the virtual clock, such as 30s", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Delay = d.decodeDuration(n, "`delay`") }},
		{name: "session", doc: "id of the agent's session", shape: textShape, read: func(d *decoder, n *yaml.Node, r *Reply) { r.Session = d.decodeText(n, "`session`") }},
	}
}

func programKeys() []field[Program] {
	return []field[Program]{
		{name: "output", doc: "standard output", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Output = d.decodeText(n, "`output`") }},
		{name: "json", doc: "standard output as JSON", shape: anyShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Output = string(d.encodeJSON(n)) }},
		{name: "error", doc: "standard error", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Error = d.decodeText(n, "`error`") }},
		{name: "exit", doc: "exit code", shape: numberShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Exit = d.decodeInt(n, "`exit`") }},
		{name: "delay", doc: "duration on the virtual clock, such as 30s", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Delay = d.decodeDuration(n, "`delay`") }},
		{name: "fail", doc: "message of a failure without an exit code, such as a timeout", shape: textShape, read: func(d *decoder, n *yaml.Node, p *Program) { p.Fail = d.decodeText(n, "`fail`") }},
		{name: "class", doc: "class of the failure of `fail`: a transient failure is retried", shape: enumShape(classes...), read: func(d *decoder, n *yaml.Node, p *Program) { p.Class = d.decodeClass(n) }},
	}
}

func commandKeys() []field[Command] {
	return []field[Command]{
		{name: "args", doc: "pattern of the arguments, joined by spaces; * is any text", shape: textShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Args = d.decodeText(n, "`args`") }},
		{name: "output", doc: "standard output", shape: textShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Output = d.decodeText(n, "`output`") }},
		{name: "json", doc: "standard output as JSON", shape: anyShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Output = string(d.encodeJSON(n)) }},
		{name: "error", doc: "standard error", shape: textShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Error = d.decodeText(n, "`error`") }},
		{name: "exit", doc: "exit code", shape: numberShape, read: func(d *decoder, n *yaml.Node, c *Command) { c.Exit = d.decodeInt(n, "`exit`") }},
	}
}

// answerKeys are the answers to gates and reviews. `choice` takes the other ones, such as
// the decisions of a gate.
func answerKeys() []field[Answer] {
	choose := func(choice string) func(d *decoder, n *yaml.Node, a *Answer) {
		return func(d *decoder, n *yaml.Node, a *Answer) {
			if a.Choice != "" {
				d.addFault(resolveAlias(n), "an answer has one choice, not `%s` and `%s`", a.Choice, choice)
			}
			a.Choice, a.Text = choice, d.decodeText(n, "`"+choice+"`")
		}
	}
	return []field[Answer]{
		{name: "approve", doc: "approve with this comment", shape: textShape, read: choose("approve")},
		{name: "reject", doc: "reject with these words", shape: textShape, read: choose("reject")},
		{name: "edit", doc: "replace the reviewed output by this text", shape: textShape, read: choose("edit")},
		{name: "feedback", doc: "have the agent make the output again, with these words", shape: textShape, read: choose("feedback")},
		{name: "signal", doc: "report the awaited event with this data", shape: textShape, read: choose("signal")},
		{name: "choice", doc: "any other choice of the question", shape: textShape, read: func(d *decoder, n *yaml.Node, a *Answer) { a.Choice = d.decodeText(n, "`choice`") }},
		{name: "text", doc: "words beside the choice, or the answer to a question without choices", shape: textShape, read: func(d *decoder, n *yaml.Node, a *Answer) { a.Text = d.decodeText(n, "`text`") }},
		{name: "after", doc: "time until the answer on the virtual clock, such as 2h", shape: textShape, read: func(d *decoder, n *yaml.Node, a *Answer) { a.After = d.decodeDuration(n, "`after`") }},
	}
}

// decodeReply decodes a reply: its text, or a mapping.
func (d *decoder) decodeReply(n *yaml.Node) Reply {
	r := Reply{Place: placeOf(n)}
	if n.Kind == yaml.MappingNode {
		if decodeObject(d, n, "a reply", replyKeys(), &r) && r.Fail == "" && r.Class != "" {
			d.addFault(n, "`class` belongs to a failure; add `fail` with its message")
		}
		return r
	}
	r.Text = d.decodeText(n, "a reply")
	return r
}

// decodeProgram decodes the result of a program: its output, real, or a mapping.
func (d *decoder) decodeProgram(n *yaml.Node) Program {
	p := Program{Place: placeOf(n)}
	switch {
	case n.Kind == yaml.MappingNode:
		if decodeObject(d, n, "a result", programKeys(), &p) && p.Fail == "" && p.Class != "" {
			d.addFault(n, "`class` belongs to a failure; add `fail` with its message")
		}
	case n.Kind == yaml.ScalarNode && n.Value == "real" && n.Style == 0:
		p.Real = true
	default:
		p.Output = d.decodeText(n, "a result")
	}
	return p
}

// decodeCommand decodes a stand-in for a command: its output, real, or a mapping.
func (d *decoder) decodeCommand(n *yaml.Node) Command {
	c := Command{Place: placeOf(n)}
	switch {
	case n.Kind == yaml.MappingNode:
		decodeObject(d, n, "a stand-in for a command", commandKeys(), &c)
	case n.Kind == yaml.ScalarNode && n.Value == "real" && n.Style == 0:
		c.Real = true
	default:
		c.Output = d.decodeText(n, "a stand-in for a command")
	}
	return c
}

// NoAnswer is the answer that leaves a question open.
const NoAnswer = "none"

// decodeAnswer decodes an answer: a choice, none, or a mapping.
func (d *decoder) decodeAnswer(n *yaml.Node) Answer {
	a := Answer{Place: placeOf(n)}
	if n.Kind == yaml.MappingNode {
		if decodeObject(d, n, "an answer", answerKeys(), &a) && a.Choice == "" && a.Text == "" {
			d.addFault(n, "an answer needs a choice, such as `approve`, or `text`")
		}
		return a
	}
	if a.Choice = d.decodeText(n, "an answer"); a.Choice == NoAnswer {
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

// orPlain is a shape or a plain value in its place.
func orPlain(s shape, plain ...shape) shape {
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
		"reply":   orPlain(shapeOf(replyKeys()), textShape),
		"program": orPlain(shapeOf(programKeys()), textShape),
		"command": orPlain(shapeOf(commandKeys()), textShape),
		"answer":  orPlain(shapeOf(answerKeys()), textShape),
		"expect":  shapeOf(expectKeys()),
		"node":    orPlain(shapeOf(nodeKeys()), refShape("matcher")),
		"matcher": orPlain(shapeOf(matcherKeys()), notObject),
		"number":  orPlain(shapeOf(rangeKeys()), numberShape),
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // shapes are plain data
	}
	return append(text, '\n')
}
