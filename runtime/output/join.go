package output

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// JoinArray joins outputs to a JSON array. Like the other joins, it accepts a []string,
// which are the outputs of iterations, or a []steps.BranchOutput. It leaves out branches
// that did not run, and iterations whose output is an empty object or list.
func JoinArray[P string | steps.BranchOutput](parts []P) (string, error) {
	return encodeJoined(py.NewList(readOutputs(parts)...))
}

// JoinObject joins outputs to one object. For iterations it merges the fields of all outputs;
// later ones override earlier ones. For branches the keys are the names of the branches
// and the values their outputs.
func JoinObject[P string | steps.BranchOutput](parts []P) (string, error) {
	d := py.NewDict()
	if ends, ok := any(parts).([]steps.BranchOutput); ok {
		for _, e := range ends {
			if e.Ran {
				setField(d, e.Name, readOutput(e.Text))
			}
		}
		return encodeJoined(d)
	}
	for i, v := range readOutputs(parts) {
		from, ok := v.(*py.Dict)
		if !ok {
			return "", joinFault("`join: object` makes one object of the outputs, but output %d is %s", i+1, describeValue(v))
		}
		if err := from.Each(func(key, v py.Value) error { return d.Set(key, v) }); err != nil {
			return "", joinFault("%v", err)
		}
	}
	return encodeJoined(d)
}

// JoinText joins outputs to lines of text. An object becomes its field _raw (an agent's reply)
// or _output (a program's text) if it has one of them, else key=value lines; a list becomes
// JSON; any other value is printed as in Python.
func JoinText[P string | steps.BranchOutput](parts []P) (string, error) {
	var out []string
	for _, v := range readOutputs(parts) {
		text, err := wholeText(v)
		if err != nil {
			return "", joinFault("the joined output: %v", err)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n"), nil
}

// JoinLast returns the last output, or an empty object if there is none.
func JoinLast[P string | steps.BranchOutput](parts []P) (string, error) {
	return lastOrNone(readOutputs(parts), py.NewDict())
}

// JoinLastList returns the last output, or an empty list if there is none.
func JoinLastList[P string | steps.BranchOutput](parts []P) (string, error) {
	return lastOrNone(readOutputs(parts), py.NewList())
}

func lastOrNone(values []py.Value, none py.Value) (string, error) {
	if len(values) > 0 {
		none = values[len(values)-1]
	}
	return encodeJoined(none)
}

// readOutputs reads the outputs to join.
func readOutputs[P string | steps.BranchOutput](parts []P) []py.Value {
	var list []py.Value
	for _, p := range parts {
		switch p := any(p).(type) {
		case string:
			if v := readOutput(p); !isEmpty(v) {
				list = append(list, v)
			}
		case steps.BranchOutput:
			if p.Ran {
				list = append(list, readOutput(p.Text))
			}
		}
	}
	return list
}

// isEmpty reports whether a value is an object without fields or a list without items.
func isEmpty(v py.Value) bool {
	switch v := v.(type) {
	case *py.Dict:
		return v.Len() == 0
	case *py.List:
		return len(v.Items()) == 0
	}
	return false
}

// readOutput reads an output; one that is not JSON is a plain string.
func readOutput(text string) py.Value {
	v, err := py.Loads(text)
	if err != nil {
		return py.Str(strings.ToValidUTF8(text, "\uFFFD"))
	}
	return v
}

func encodeJoined(v py.Value) (string, error) {
	text, err := encodeJSON(v)
	if err != nil {
		return "", joinFault("the joined output: %v", err)
	}
	return text, nil
}

func joinFault(format string, args ...any) error {
	return &flow.Failure{Reason: "output", ExitCode: -1, Message: fmt.Sprintf(format, args...)}
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
	if isStructured(v) {
		return py.Dumps(v, py.DumpsOptions{})
	}
	return py.Text(v)
}
