package dry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// What stands for values that nobody knows.
//
// Texts are easy: what stands for them says what they are. But the prompts and
// programs of a plan are made by the workflow's own code, which renders numbers
// and truth values of typed outputs, too. So a number that is not known is one of
// a range in which no other will be, and is found again in the texts. For truth
// values, the flow is run twice: once all of them are false, once all are true.
// Conditions do not read them, for reading what is not known ends a condition, so
// the two runs differ in what they render and nothing else.

// stand stands for the outputs of one run of the flow.
type stand struct {
	// truth is what truth values are.
	truth bool
	// truths says that there are any.
	truths bool
	// numbers are what the numbers stand for.
	numbers []string
	// nodes are those whose output is not known.
	nodes map[string]bool
}

var _ flow.Unknown = (*stand)(nil)

// phrase is a text that stands for something.
func phrase(format string, args ...any) string { return "‹" + fmt.Sprintf(format, args...) + "›" }

// Placeholder implements flow.Unknown.
func (s *stand) Placeholder(node string, path ...string) string {
	s.nodes[node] = true
	if len(path) == 0 {
		return phrase("output of %s", node)
	}
	return phrase("%s.output.%s", node, strings.Join(path, "."))
}

// Fill implements flow.Unknown.
func (s *stand) Fill(node string, v any) {
	whole := reflect.ValueOf(v).Elem()
	if whole.Kind() == reflect.String {
		whole.SetString(s.Placeholder(node))
		return
	}
	s.fill(whole, node+".output", 0)
}

// deepest bounds how far types are followed that contain themselves.
const deepest = 32

func (s *stand) fill(v reflect.Value, name string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(phrase("%s", name))
	case reflect.Bool:
		s.truths = true
		v.SetBool(s.truth)
	case reflect.Int64:
		v.SetInt(s.number(name))
	case reflect.Float64:
		v.SetFloat(float64(s.number(name)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		s.fill(v.Elem(), name, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		s.fill(v.Index(0), name+"[]", depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				tag = cmp.Or(tag, field.Name)
				s.fill(v.Field(i), name+"."+tag, depth+1)
			}
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(phrase("%s", name)))
		}
	}
}

// The numbers that stand for others have the same first digits and then count.
// They are whole and small enough for a float64, so that they are rendered the
// same in either type.
const (
	numberPrefix = "7351846200"
	numberDigits = 6
)

// number returns a number that stands for a named one.
func (s *stand) number(name string) int64 {
	base, err := strconv.ParseInt(numberPrefix+strings.Repeat("0", numberDigits), 10, 64)
	if err != nil {
		panic(err) // the constants are digits
	}
	s.numbers = append(s.numbers, phrase("%s", name))
	return base + int64(len(s.numbers)-1)
}

// reveal replaces the numbers that stand for others.
func (s *stand) reveal(text string) string {
	if len(s.numbers) == 0 || !strings.Contains(text, numberPrefix) {
		return text
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, numberPrefix)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		n, err := uint64(0), error(strconv.ErrSyntax)
		if len(after) >= numberDigits {
			n, err = strconv.ParseUint(after[:numberDigits], 10, 64)
		}
		if err != nil || n >= uint64(len(s.numbers)) {
			out.WriteString(numberPrefix)
			text = after
			continue
		}
		out.WriteString(s.numbers[n])
		text = after[numberDigits:]
	}
}

// revealJSON is reveal for JSON, which stays JSON: a number becomes a string.
func (s *stand) revealJSON(text string) string {
	if shown := s.reveal(text); json.Valid([]byte(shown)) {
		return shown
	}
	return text
}

// eitherTruth stands for a truth value.
const eitherTruth = "‹true or false›"

// merge returns a text that was rendered with false truth values, with what
// stands for them in the places where the one with true ones differs.
func merge(with, other string) string {
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
