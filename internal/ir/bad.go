package ir

import (
	"reflect"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// FirstBad returns an expression of the program that represents a fault, or nil.
// Such a program cannot be generated, so an error must explain the fault. FirstBad
// checks everything that the fingerprint counts.
func (p *Program) FirstBad() *expr.Bad {
	f := badFinder{encoder{fields: map[reflect.Type][]countedField{}}}
	return f.value(reflect.ValueOf(p).Elem())
}

type badFinder struct{ encoder }

var (
	badType  = reflect.TypeFor[*expr.Bad]()
	typeType = reflect.TypeFor[types.Type]()
)

func (f *badFinder) value(v reflect.Value) *expr.Bad {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k < reflect.Array || k == reflect.String {
			return nil
		}
		for i := range v.Len() {
			if bad := f.value(v.Index(i)); bad != nil {
				return bad
			}
		}
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() || v.Type() == typeType {
			return nil
		}
		if v.Type() == badType {
			return v.Interface().(*expr.Bad)
		}
		return f.value(v.Elem())
	case reflect.Struct:
		for _, field := range f.counted(v.Type()) {
			if field.node || field.nodes {
				continue
			}
			if bad := f.value(v.Field(field.index)); bad != nil {
				return bad
			}
		}
	}
	return nil
}
