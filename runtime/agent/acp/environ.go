package acp

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
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

// askers are the variables by which programs are told to ask before they do what
// their own settings would have them do without asking.
var askers = map[string]string{
	"opencode": `OPENCODE_PERMISSION={"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask"}`,
}

// environ returns the environment of a program. A variable that is set says what
// its owner wants.
func environ(program string, p policy, list []string) []string {
	base := strings.ToLower(filepath.Base(program))
	asker, known := askers[strings.TrimSuffix(base, filepath.Ext(base))]
	name, _, _ := strings.Cut(asker, "=")
	if !known || p == mayAll || slices.ContainsFunc(list, func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
		return list
	}
	return append(slices.Clip(list), asker)
}
