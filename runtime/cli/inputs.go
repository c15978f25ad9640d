package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/input"
)

// inputs gathers a run's inputs from typed flags, --input, --inputs and the
// free arguments.
type inputs struct {
	def    *flow.Definition
	flags  map[string]*string // by input
	pairs  []string
	file   string
	stdin  io.Reader
	values map[string]json.RawMessage
	// taken are flags of all commands of the program.
	taken *pflag.FlagSet
	// argv is the command line as the user wrote it.
	argv []string
	// saved are values that count where none is given.
	saved map[string]json.RawMessage
}

// reserved are the names of the run command's own flags; an input of such a
// name can only be given by --input.
var reserved = []string{"agent", "base-branch", "dry-run", "force", "help", "input", "inputs", "json", "jsonl", "max-parallel", "outputs", "quiet", "state"}

func (in *inputs) addToFlagSet(flags *pflag.FlagSet) {
	in.flags = map[string]*string{}
	for _, spec := range in.def.Inputs {
		name := flagName(spec.Name)
		if name == "" || flags.Lookup(name) != nil || slices.Contains(reserved, name) || in.taken.Lookup(name) != nil {
			continue
		}
		value := new(string)
		in.flags[spec.Name] = value
		flags.Var(&inputValue{value, spec.Type}, name, inputUsage(spec))
		if spec.Type == "bool" {
			flags.Lookup(name).NoOptDefVal = "true"
		}
	}
	for _, constant := range in.def.Constants {
		if name := flagName(constant); name != "" && flags.Lookup(name) == nil {
			flags.Var(constantFlag(constant), name, "")
			flags.Lookup(name).Hidden = true
		}
	}
	flags.StringArrayVar(&in.pairs, "input", nil, "set an input: `NAME=VALUE`; repeatable")
	flags.StringVar(&in.file, "inputs", "", "JSON `FILE` of inputs; - is standard input")
}

// flagName is the input's name as a flag, or "" when it cannot be one.
func flagName(input string) string {
	name := strings.ReplaceAll(input, "_", "-")
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (r != '-' || i == 0) {
			return ""
		}
	}
	return name
}

// inputUsage returns the usage of an input's flag. The library reads a word in
// backquotes as the name of the flag's value, so the usage has none.
func inputUsage(spec flow.InputInfo) string {
	text := cmp.Or(strings.ReplaceAll(spec.Doc, "`", "'"), "the input "+spec.Name)
	if len(spec.Choices) > 0 {
		text += "; one of " + strings.Join(spec.Choices, ", ")
	}
	switch {
	case spec.Rest:
		text += "; also set by the positional arguments"
	case spec.Replaces != "":
		return text + "; JSON or YAML, or @FILE"
	}
	switch {
	case spec.Default == "" && !spec.Rest:
		text += " (required)"
	case len(spec.Default) > 0 && spec.Default != `""` && spec.Default != "null":
		text += fmt.Sprintf(" (default %s)", spec.Default)
	}
	return text
}

// A constantFlag refuses the flag of an input that is a constant of the program.
type constantFlag string

func (constantFlag) String() string { return "" }

func (constantFlag) Type() string { return "constant" }

func (c constantFlag) Set(string) error { return errors.New(isConstant(string(c))) }

func isConstant(name string) string {
	return fmt.Sprintf("the build fixed the value of this input; to set it for a run, build without `--const %s=…`", name)
}

// inputValue is a flag whose text is checked when all inputs are there.
type inputValue struct {
	text *string
	kind string
}

func (v *inputValue) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

func (v *inputValue) Set(text string) error { *v.text = text; return nil }

func (v *inputValue) Type() string { return v.kind }

// collectValues takes the inputs that are given, each checked by its type. Of
// several sources of one input the more exact wins: a flag, then --input, then
// the free arguments, then --inputs.
func (in *inputs) collectValues(flags *pflag.FlagSet, args []string) error {
	in.values, in.saved = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := refuseSeparateBool(flags, in.argv); err != nil {
		return err
	}
	if err := in.readFile(); err != nil {
		return err
	}
	if err := in.takeRest(args); err != nil {
		return err
	}
	twice := map[string]bool{}
	for _, pair := range in.pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return usageError("invalid `--input %s`: write NAME=VALUE", pair)
		}
		if twice[name] {
			return usageError("duplicate --input for `%s`", name)
		}
		twice[name] = true
		if err := in.setFromText(name, value); err != nil {
			return err
		}
	}
	for _, spec := range in.def.Inputs {
		if text := in.flags[spec.Name]; text != nil && flags.Changed(flagName(spec.Name)) {
			if err := in.setFromText(spec.Name, *text); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseSeparateBool refuses a bool flag followed by a bool as a separate argument, and --sandbox
// followed by a mode: the flag would be true or on, and the value would become a positional
// argument.
func refuseSeparateBool(flags *pflag.FlagSet, argv []string) error {
	for i := 0; i < len(argv) && argv[i] != "--"; i++ {
		name, long := strings.CutPrefix(argv[i], "--")
		var f *pflag.Flag
		switch {
		case long && !strings.Contains(name, "="):
			f = flags.Lookup(name)
		case !long && len(argv[i]) == 2 && argv[i][0] == '-':
			f = flags.ShorthandLookup(argv[i][1:])
		}
		switch {
		case f == nil:
		case f.NoOptDefVal == "":
			i++ // its value
		case i+1 < len(argv) && (isBool(argv[i+1]) || f.Name == "sandbox" && slices.Contains(sandboxModes, argv[i+1])):
			return usageError("`%s %s`: join the value to its flag: `--%s=%s`; or write `--` before positional arguments", argv[i], argv[i+1], f.Name, argv[i+1])
		}
	}
	return nil
}

// isBool reports whether a word is a value of a bool input.
func isBool(word string) bool {
	_, err := scalar.Rules{}.Parse("bool", word)
	return err == nil
}

// encodeObject writes the inputs in the order of their definition, and misses those
// that are required. way says how to give those.
func (in *inputs) encodeObject(way string) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	var missing []string
	for _, spec := range in.def.Inputs {
		value, given := in.values[spec.Name]
		if !given {
			value, given = in.saved[spec.Name]
		}
		if !given && spec.Default != "" {
			value = json.RawMessage(spec.Default)
		}
		if value == nil {
			missing = append(missing, "`"+spec.Name+"`")
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(spec.Name)
		if err != nil {
			return nil, failedError(err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	if len(missing) > 0 {
		return nil, usageError("missing input %s%s%s", strings.Join(missing, ", "), way, in.restNote())
	}
	return b.Bytes(), nil
}

// restNote says which input the positional arguments have become, if they were given.
func (in *inputs) restNote() string {
	for _, spec := range in.def.Inputs {
		if _, given := in.values[spec.Name]; given && spec.Rest {
			return "; the positional arguments are the input `" + spec.Name + "`"
		}
	}
	return ""
}

// findSpec returns the input of a name, which may be written like its flag, or nil.
func (in *inputs) findSpec(name string) *flow.InputInfo {
	for _, called := range []func(string) string{func(n string) string { return n }, flagName} {
		for i, spec := range in.def.Inputs {
			if called(spec.Name) == name {
				return &in.def.Inputs[i]
			}
		}
	}
	return nil
}

func (in *inputs) setFromText(name, text string) error {
	spec := in.findSpec(name)
	if spec == nil {
		return in.unknownInputError(name)
	}
	value, err := input.Text(*spec, text, "")
	if err != nil {
		return usageError("input `%s`: %v", spec.Name, err)
	}
	in.values[spec.Name] = value
	return nil
}

func (in *inputs) unknownInputError(name string) error {
	if slices.Contains(in.def.Constants, name) {
		return usageError("input `%s`: %s", name, isConstant(name))
	}
	if len(in.def.Inputs) == 0 {
		return usageError("unknown input `%s`: the workflow has no inputs", name)
	}
	return usageError("%s", plain.UnknownName("input", name, inputNames(in.def)))
}

// byPosition returns the names of the inputs that positional arguments set, in order.
func (in *inputs) byPosition() string {
	var names []string
	for _, spec := range in.def.Inputs {
		if spec.Position > 0 && spec.Replaces == "" {
			names = append(names, spec.Name)
		}
	}
	return strings.Join(names, ", ")
}

// takeRest takes the free arguments: NAME=VALUE of an input's name, those that have
// a place by their places, or all as the value of one input.
func (in *inputs) takeRest(args []string) error {
	if len(args) == 0 {
		return nil
	}
	byPlace, named := map[int]string{}, false
	for _, spec := range in.def.Inputs {
		if spec.Rest {
			return in.setRest(spec.Name, args)
		}
		// Only a name replaces the output of a step: an argument too many is a mistake.
		switch {
		case spec.Position > 0 && spec.Replaces == "":
			byPlace[spec.Position] = spec.Name
		case spec.Position > 0:
			named = true
		}
	}
	if len(byPlace) == 0 && !named {
		return usageError("the workflow takes no positional arguments: %s", strings.Join(args, " "))
	}
	given, list := map[string]string{}, []string(nil)
	last := in.listAt(len(byPlace))
	take := func(name, arg, text string) error {
		if before, twice := given[name]; twice {
			return usageError("duplicate input `%s`: %q and %q", name, before, arg)
		}
		given[name] = arg
		return in.setFromText(name, text)
	}
	place := 0
	for _, arg := range args {
		name, text, named := strings.Cut(arg, "=")
		if !named || !slices.Contains(inputNames(in.def), name) {
			place++
			if last != nil && place >= last.Position {
				list = append(list, arg)
				continue
			}
			if name, text = byPlace[place], arg; name == "" && len(byPlace) == 0 {
				return usageError("no input for the positional argument %q: the workflow takes no positional arguments; `NAME=VALUE` replaces the output of a step: use one of %s", arg, plain.NameList(inputNames(in.def)))
			} else if name == "" {
				return usageError("no input for the positional argument %q: the workflow takes at most %s; it has: %s", arg, plain.Count(len(byPlace), "argument"), in.byPosition())
			}
		}
		if err := take(name, arg, text); err != nil {
			return err
		}
	}
	if list == nil {
		return nil
	}
	if before, twice := given[last.Name]; twice {
		return usageError("duplicate input `%s`: %q and %q", last.Name, before, list[0])
	}
	value, err := input.List(*last, list, "")
	if err != nil {
		return usageError("input `%s`: %v", last.Name, err)
	}
	in.values[last.Name] = value
	return nil
}

// listAt returns the input with the last place among the positional arguments if it is a list,
// or nil.
func (in *inputs) listAt(place int) *flow.InputInfo {
	for i, spec := range in.def.Inputs {
		if spec.Position == place && spec.Type == "list" && spec.Replaces == "" {
			return &in.def.Inputs[i]
		}
	}
	return nil
}

// setRest makes the positional arguments the value of one input. It refuses those that look
// like another input: they would silently become words of this one.
func (in *inputs) setRest(name string, args []string) error {
	for _, arg := range args {
		other, _, pair := strings.Cut(arg, "=")
		if pair && other != name && slices.Contains(inputNames(in.def), other) {
			return usageError("`%s` would become part of the input `%s`: give the input `%s` by --input %s; give words that contain `=` by --input %s=…",
				arg, name, other, plain.ShellWord(arg), name)
		}
	}
	return in.setFromText(name, strings.Join(args, " "))
}

func (in *inputs) readFile() error {
	if in.file == "" {
		return nil
	}
	text, err := in.fileText()
	if err != nil {
		return usageError("--inputs: %v", err)
	}
	text = wholefile.TrimBOM(text)
	var object map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	err = dec.Decode(&object)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other), err == nil && object == nil:
		return usageError("--inputs %s is not a JSON object", in.file)
	case err != nil:
		return usageError("--inputs %s is not JSON: %w", in.file, plain.JSONError(err, string(text)))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return usageError("--inputs %s holds more than one JSON object", in.file)
	}
	for name, value := range object {
		spec := in.findSpec(name)
		if spec == nil {
			return usageError("--inputs %s: %w", in.file, in.unknownInputError(name))
		}
		if value, err = input.Value(*spec, value, ""); err != nil {
			return usageError("--inputs %s: input `%s`: %v", in.file, name, err)
		}
		in.values[spec.Name] = value
	}
	return nil
}

func (in *inputs) fileText() ([]byte, error) {
	if in.file == "-" {
		return wholefile.Source.From(in.stdin, "standard input")
	}
	return wholefile.Source.Given(in.file)
}

// setFromObject takes inputs as a client sends them.
func (in *inputs) setFromObject(object map[string]json.RawMessage) error {
	in.values, in.saved = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, value := range object {
		if string(value) == "null" {
			continue // as good as not given
		}
		i := slices.IndexFunc(in.def.Inputs, func(spec flow.InputInfo) bool { return spec.Name == name })
		if i < 0 {
			return in.unknownInputError(name)
		}
		checked, err := input.Value(in.def.Inputs[i], value, "")
		if err != nil {
			return usageError("input `%s`: %v", name, err)
		}
		in.values[name] = checked
	}
	return nil
}

func inputNames(def *flow.Definition) []string {
	names := make([]string, len(def.Inputs))
	for i, spec := range def.Inputs {
		names[i] = spec.Name
	}
	return names
}
