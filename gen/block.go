package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A block is a list of statements with the values that were read in it.
type block struct {
	outer *block
	code  []jen.Code
	read  map[string]string // variable by what it holds
	taken map[string]bool   // its variables
	err   bool              // says that it has the variable err
	place string            // the position in the comment of the function that it is the body of
}

// outermostBlock is the outermost block around the block.
func (b *block) outermostBlock() *block {
	for b.outer != nil {
		b = b.outer
	}
	return b
}

func (b *block) addCode(code ...jen.Code) { b.code = append(b.code, code...) }

// takeName notes a variable of the block.
func (b *block) takeName(name string) {
	plain.PutEntry(&b.taken, name, true)
}

// rememberRead notes the variable that holds a value after a read.
func (b *block) rememberRead(key, name string) {
	plain.PutEntry(&b.read, key, name)
}
