package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// modelMark stands for the model in the arguments of a program.
const modelMark = "{model}"

// arguments returns the arguments with the model in them. Without a model, those
// that hold it are left out, and so is the flag before one that is nothing else.
func arguments(args []string, model string) (list []string, named bool, err error) {
	for _, arg := range args {
		if !strings.Contains(arg, modelMark) {
			list = append(list, arg)
			continue
		}
		switch {
		case model != "" && arg == modelMark && strings.HasPrefix(model, "-"):
			return nil, false, fatal(agent.ReasonAgent, "the model `%s` cannot be an argument of its own: the program would take it for a flag", model)
		case model != "":
			list, named = append(list, strings.ReplaceAll(arg, modelMark, model)), true
		case arg == modelMark && len(list) > 0 && strings.HasPrefix(list[len(list)-1], "-"):
			list = list[:len(list)-1]
		}
	}
	return list, named, nil
}

// What opencode is told beside its own settings, unless they say otherwise: to ask
// before it does what it would do without asking, and to go on when that is
// refused, where it would end its turn.
const (
	opencodePermission = `{"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask"}`
	opencodeConfig     = "OPENCODE_CONFIG_CONTENT"
)

// environ returns the environment of a program of a known name. A variable that
// is set says what its owner wants.
func environ(name string, p policy, list []string) []string {
	list = slices.Clip(list)
	add := func(entry string) {
		variable, _, _ := strings.Cut(entry, "=")
		if !slices.ContainsFunc(list, func(entry string) bool { return strings.HasPrefix(entry, variable+"=") }) {
			list = append(list, entry)
		}
	}
	for _, entry := range habitsOf[name].environ {
		add(entry)
	}
	if name == "opencode" && p != mayAll {
		add("OPENCODE_PERMISSION=" + opencodePermission)
		list = goOn(list)
	}
	return list
}

// goOn has opencode go on when something is refused, unless the settings in the
// variable decide that themselves. What else they say stays.
func goOn(list []string) []string {
	const key, inner = "experimental", "continue_loop_on_deny"
	settings := map[string]json.RawMessage{}
	if text := process.Variable(list, opencodeConfig); strings.TrimSpace(text) != "" && json.Unmarshal([]byte(text), &settings) != nil {
		return list // it is for the program to say what is wrong with them
	}
	experimental := map[string]json.RawMessage{}
	if value, ok := settings[key]; ok && json.Unmarshal(value, &experimental) != nil {
		return list
	}
	if _, decided := experimental[inner]; decided {
		return list
	}
	if experimental == nil {
		experimental = map[string]json.RawMessage{}
	}
	if settings == nil {
		settings = map[string]json.RawMessage{}
	}
	experimental[inner] = json.RawMessage("true")
	text, err := json.Marshal(experimental)
	if err == nil {
		settings[key] = text
		text, err = json.Marshal(settings)
	}
	if err != nil {
		return list
	}
	list = slices.DeleteFunc(slices.Clone(list), func(entry string) bool { return strings.HasPrefix(entry, opencodeConfig+"=") })
	return append(list, opencodeConfig+"="+string(text))
}
