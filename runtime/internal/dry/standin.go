package dry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Symbols of typed values.
//
// The symbol of a string is text. But the workflow's own code also renders numbers and bools
// of typed outputs. So an unknown number is a number from a range that occurs nowhere else,
// and the plan finds it again in the rendered strings. For bools, the flow runs twice: once
// all of them are false, once all are true. Reading a symbol ends a condition, so the two
// runs differ only in rendered strings.

// stand makes the symbols for the outputs of one run of the flow.
type stand struct {
	// now is when the run begins.
	now time.Time
	// truth is the value of all unknown bools.
	truth bool
	// truths says that there are unknown bools.
	truths bool
	// numbers are the names of the unknown numbers.
	numbers []string
}

// unknownPhrase returns a placeholder that is not an output.
func unknownPhrase(format string, args ...any) string {
	return "‹" + fmt.Sprintf(format, args...) + "›"
}

// fillOutput makes a node's typed output of symbols. v points to its zero value.
func (s *stand) fillOutput(node string, v any) {
	whole := reflect.ValueOf(v).Elem()
	if whole.Kind() == reflect.String {
		whole.SetString(kernel.OutputSymbol(node))
		return
	}
	s.fillValue(whole, node+".output", 0)
}

// deepest bounds how far types are followed that contain themselves.
const deepest = 32

func (s *stand) fillValue(v reflect.Value, name string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(kernel.Symbol(name))
	case reflect.Bool:
		s.truths = true
		v.SetBool(s.truth)
	case reflect.Int64:
		v.SetInt(s.newNumber(name))
	case reflect.Float64:
		v.SetFloat(float64(s.newNumber(name)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		s.fillValue(v.Elem(), name, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		s.fillValue(v.Index(0), name+"[]", depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				tag = cmp.Or(tag, field.Name)
				s.fillValue(v.Field(i), name+"."+tag, depth+1)
			}
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(kernel.Symbol(name)))
		}
	}
}

// firstNumber is the first of the numbers that are placeholders, which count from there. They are
// whole and small enough for a float64, so that int and float render them the same.
const firstNumber = 7351846200000000

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`73518462000[0-9]{5}`) })

// newNumber returns the placeholder of a named number.
func (s *stand) newNumber(name string) int64 {
	s.numbers = append(s.numbers, unknownPhrase("%s", name))
	return firstNumber + int64(len(s.numbers)-1)
}

// revealSymbols shows symbols as people read them, and the names of numbers.
func (s *stand) revealSymbols(text string) string {
	text = kernel.ShowSymbols(text)
	if begun := s.now.UTC().Format(time.RFC3339); !s.now.IsZero() {
		text = strings.ReplaceAll(text, begun, unknownPhrase("when the run begins"))
	}
	if len(s.numbers) == 0 {
		return text
	}
	return numbers().ReplaceAllStringFunc(text, func(number string) string {
		if n, err := strconv.Atoi(number); err == nil && n-firstNumber < len(s.numbers) {
			return s.numbers[n-firstNumber]
		}
		return number
	})
}

// revealJSON is reveal for JSON, which stays JSON: it shows a number only inside a string.
func (s *stand) revealJSON(text string) string {
	if shown := s.revealSymbols(text); json.Valid([]byte(shown)) {
		return shown
	}
	return kernel.ShowSymbols(text)
}

// eitherTruth is the placeholder of a bool.
const eitherTruth = "‹true or false›"

// mergeTexts takes a string rendered with false for unknown bools, and the same string
// rendered with true. It returns the string with placeholders in the places where they
// differ.
func mergeTexts(with, other string) string {
	if with == other {
		return with
	}
	var out strings.Builder
	for {
		same := 0
		for same < len(with) && same < len(other) && with[same] == other[same] {
			same++
		}
		out.WriteString(with[:same])
		with, other = with[same:], other[same:]
		no, isFalse := strings.CutPrefix(with, "false")
		yes, isTrue := strings.CutPrefix(other, "true")
		if !isFalse || !isTrue {
			out.WriteString(with)
			return out.String()
		}
		out.WriteString(eitherTruth)
		with, other = no, yes
	}
}
