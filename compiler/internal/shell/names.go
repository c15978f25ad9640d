package shell

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
)

// validName makes a valid name that is not one bash or other programs read from
// the environment: those are upper case by custom, apart from a few.
func validName(s string) string {
	name := bind.Word(s)
	switch {
	case name == "", name[0] == '_', !isName(name), name == strings.ToUpper(name),
		name == "histchars", name == "auto_resume", strings.HasSuffix(name, "_proxy"):
		return "v_" + strings.TrimLeft(name, "_")
	}
	return name
}
