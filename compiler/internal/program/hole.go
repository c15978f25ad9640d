package program

import (
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// holeType is the type of the value that a hole shows: of the text that Python
// prints of a value, that of the value. A value of which nothing is known counts
// as the text that is printed.
func holeType(e expr.Expr) types.Type {
	s, ok := e.(*expr.Str)
	if !ok {
		return e.Type()
	}
	if t := s.X.Type(); t != nil && t != types.Any {
		return t
	}
	return types.Text
}
