package program

import (
	"path/filepath"
	"strings"
)

// unsafeInBatch are the characters that the system's command interpreter gives a
// meaning to, whatever stands around them.
const unsafeInBatch = "\"%!^&|<>()\r\n"

// Guard returns an error when the program is a batch file and an argument holds
// what its interpreter would take for code: on Windows, npm installs programs so,
// and arguments of batch files are parsed as a command line.
func (p *Program) Guard(args []string) error {
	ending := strings.ToLower(filepath.Ext(p.Path))
	if ending != ".cmd" && ending != ".bat" {
		return nil
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, unsafeInBatch) {
			return failure("`%s` is a batch file, to which `%s` cannot be handed over safely; install the program as an .exe, or say where that is under `program` of the agent in wfc.yaml", p.Path, shorten(arg))
		}
	}
	return nil
}

func shorten(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
