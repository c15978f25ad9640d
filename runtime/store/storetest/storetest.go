// Package storetest tests that a store keeps the promises of store.Store:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
//	}
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Run tests a kind of store; open returns an empty one. Run does not close it: open does
// so by t.Cleanup if necessary.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for name, test := range map[string]func(*testing.T, store.Store){
		"CreateRun":        testCreateRun,
		"every run field":  testRunFields,
		"every step field": testStepFields,
		"runs":             testRuns,
		"prefixes":         testPrefixes,
		"index":            testIndex,
		"begin":            testBegin,
		"move":             testMove,
		"settings":         testSettings,
		"commit":           testCommit,
		"run's end":        testEnd,
		"events":           testEvents,
		"answers":          testAnswers,
		"sessions":         testSessions,
		"cancel":           testCancel,
		"delete":           testDelete,
		"unknown runs":     testUnknown,
		"texts":            testTexts,
		"large strings":    testLargeTexts,
		"times":            testTimes,
		"many steps":       testManySteps,
		"own copies":       testCopies,
		"cancelled caller": testContext,
		"writers":          testWriters,
		"races":            testRaces,
		"any sequence":     testSequences,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// created is when the runs of the tests were created, unless they say
// otherwise: with nanoseconds, in a zone.
var created = time.Date(2026, 3, 29, 1, 59, 59, 123456789, time.FixedZone("there", 5*3600+1800))

func newRun(id string) store.Run {
	return store.Run{
		RunInfo: flow.RunInfo{ID: id, Workflow: "demo", Fingerprint: "f", Inputs: []byte(`{"a":1}`)},
		Status:  flow.Pending, Created: created, Updated: created,
	}
}

func createRun(t *testing.T, s store.Store, run store.Run, steps ...flow.Record) {
	t.Helper()
	must(t, s.CreateRun(t.Context(), run, steps))
}

// commitSteps commits steps of the run demo-000001.
func commitSteps(t *testing.T, s store.Store, steps ...flow.Record) {
	t.Helper()
	must(t, s.Commit(t.Context(), "demo-000001", flow.Batch{Steps: steps}))
}

func getRun(t tester, s store.Store, id string) store.Run {
	t.Helper()
	run, err := s.Run(t.Context(), id)
	must(t, err)
	return run
}

func getRuns(t tester, s store.Store, f store.Filter) []store.Run {
	t.Helper()
	runs, err := s.Runs(t.Context(), f)
	must(t, err)
	return runs
}

func getSteps(t tester, s store.Store, id string) []flow.Record {
	t.Helper()
	steps, err := s.Steps(t.Context(), id)
	must(t, err)
	return steps
}

func getEvents(t tester, s store.Store, id string, seq int64) ([]flow.Event, int64) {
	t.Helper()
	events, last, err := s.Events(t.Context(), id, seq)
	must(t, err)
	return events, last
}

func getAnswers(t tester, s store.Store, id string) []store.Answer {
	t.Helper()
	answers, err := s.Answers(t.Context(), id)
	must(t, err)
	return answers
}

func pendingStep(key string) flow.Record {
	return flow.Record{Key: key, Kind: "bash", Status: flow.Pending}
}

func withStatus(r flow.Record, status flow.Status) flow.Record {
	r.Status = status
	return r
}

// tester is what *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

// must ends the test if what it needs has failed.
func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// wantEqual compares values, with times by the instant and nothing else, and an
// empty list or text of bytes like none.
func wantEqual(t tester, what string, got, expected any) {
	t.Helper()
	if g, e := normalizeValue(got), normalizeValue(expected); !reflect.DeepEqual(g, e) {
		t.Fatalf("%s:\n got %#v\nwant %#v", what, g, e)
	}
}

func wantError(t testing.TB, what string, err, expected error) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Fatalf("%s: got the error %v, want %v", what, err, expected)
	}
}

// normalizeValue copies a value with its times in UTC and empty slices nil.
func normalizeValue(v any) any {
	p := reflect.New(reflect.TypeOf(v)).Elem()
	p.Set(plainValue(reflect.ValueOf(v)))
	return p.Interface()
}

func plainValue(v reflect.Value) reflect.Value {
	if t, ok := v.Interface().(time.Time); ok {
		return reflect.ValueOf(t.Round(0).UTC())
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(plainValue(v.Elem()))
		return p
	case reflect.Slice:
		if v.Len() == 0 {
			return reflect.Zero(v.Type())
		}
		s := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			s.Index(i).Set(plainValue(v.Index(i)))
		}
		return s
	case reflect.Struct:
		s := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			s.Field(i).Set(plainValue(v.Field(i)))
		}
		return s
	}
	return v
}

// fillFields sets every field of a struct to something that no other has, so that a
// field which a store forgets is missed.
func fillFields(p any) {
	n := 0
	fillValue(reflect.ValueOf(p).Elem(), &n)
}

func fillValue(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(created.Add(time.Duration(*n) * time.Microsecond)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), n)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, `{"n": %d}`, *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(v.Index(0), n)
		fillValue(v.Index(1), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // never stored
				fillValue(v.Field(i), n)
			}
		}
	default:
		panic("storetest: cannot fill a " + v.Type().String())
	}
}
