package script

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
)

// variable makes a name from a suggestion. Its prefix keeps it apart from keywords
// and from names that the language defines.
func variable(suggestion string) string { return "wfc_" + bind.Word(suggestion) }

// replaceLabel puts a hole's label into advice.
func replaceLabel(help, label string) string { return strings.ReplaceAll(help, "LABEL", label) }
