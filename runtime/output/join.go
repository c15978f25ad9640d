package output

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// The functions below make one output of those of a loop's iterations. Outputs
// that are empty objects or lists are left out.

// Array returns the list of the outputs.
func Array(texts []string) (string, error) { return array(parse(texts)) }

// Object returns one object of the fields of all outputs, of which later ones
// replace earlier ones.
func Object(texts []string) (string, error) {
	d := py.NewDict()
	for i, v := range parse(texts) {
		from, ok := v.(*py.Dict)
		if !ok {
			return "", joinFault("`join: object` makes one object of the outputs, but output %d is %s", i+1, shown(v))
		}
		if err := from.Each(func(key, v py.Value) error { return d.Set(key, v) }); err != nil {
			return "", joinFault("%v", err)
		}
	}
	return joined(d)
}

// Text returns the outputs as lines of text.
func Text(texts []string) (string, error) { return lines(parse(texts)) }

// Last returns the last output, or an empty object when there is none.
func Last(texts []string) (string, error) { return last(parse(texts), py.NewDict()) }

// LastList returns the last output, or an empty list when there is none.
func LastList(texts []string) (string, error) { return last(parse(texts), py.NewList()) }

// The functions below make one output of those of a fork's children. Children
// that did not run are left out.

// ForkArray returns the list of the outputs.
func ForkArray(ends []steps.BranchOutput) (string, error) { return array(ran(ends)) }

// ForkObject returns an object of the outputs by the children's names.
func ForkObject(ends []steps.BranchOutput) (string, error) {
	d := py.NewDict()
	for _, e := range ends {
		if e.Ran {
			put(d, e.Name, value(e.Text))
		}
	}
	return joined(d)
}

// ForkText returns the outputs as lines of text.
func ForkText(ends []steps.BranchOutput) (string, error) { return lines(ran(ends)) }

// ForkLast returns the last output, or an empty object when there is none.
func ForkLast(ends []steps.BranchOutput) (string, error) { return last(ran(ends), py.NewDict()) }

// parse reads outputs and leaves out those that are empty.
func parse(texts []string) []py.Value {
	var list []py.Value
	for _, text := range texts {
		v := value(text)
		switch v := v.(type) {
		case *py.Dict:
			if v.Len() == 0 {
				continue
			}
		case *py.List:
			if len(v.Items()) == 0 {
				continue
			}
		}
		list = append(list, v)
	}
	return list
}

func ran(ends []steps.BranchOutput) []py.Value {
	var list []py.Value
	for _, e := range ends {
		if e.Ran {
			list = append(list, value(e.Text))
		}
	}
	return list
}

// value reads an output; one that is no JSON is a plain text.
func value(text string) py.Value {
	v, err := py.FromJSON(text)
	if err != nil {
		return py.Str(strings.ToValidUTF8(text, "\uFFFD"))
	}
	return v
}

func array(list []py.Value) (string, error) { return joined(py.NewList(list...)) }

func last(list []py.Value, none py.Value) (string, error) {
	if len(list) > 0 {
		none = list[len(list)-1]
	}
	return joined(none)
}

func joined(v py.Value) (string, error) {
	text, err := encode(v)
	if err != nil {
		return "", joinFault("the joined output: %v", err)
	}
	return text, nil
}

func joinFault(format string, args ...any) error {
	return &flow.Failure{Reason: "output", ExitCode: -1, Message: fmt.Sprintf(format, args...)}
}

// lines puts values one below the other: of an object its text when it is one,
// else its fields as key=value lines; of a list its JSON; of anything else what it
// prints as.
func lines(list []py.Value) (string, error) {
	var out []string
	for _, v := range list {
		text, err := wholeText(v)
		if err != nil {
			return "", joinFault("the joined output: %v", err)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n"), nil
}

func wholeText(v py.Value) (string, error) {
	d, ok := v.(*py.Dict)
	if !ok {
		return printedForm(v)
	}
	for _, key := range []string{fieldReply, fieldText} {
		if text, there := d.GetStr(key); there {
			return printedForm(text)
		}
	}
	var fields []string
	err := d.Each(func(key, v py.Value) error {
		name, err := py.Text(key)
		if err != nil {
			return err
		}
		text, err := printedForm(v)
		fields = append(fields, name+"="+text)
		return err
	})
	return strings.Join(fields, "\n"), err
}

// printedForm is a value as Python prints it, or its JSON when it has parts.
func printedForm(v py.Value) (string, error) {
	if structured(v) {
		return py.JSON(v, py.JSONOptions{})
	}
	return py.Text(v)
}
