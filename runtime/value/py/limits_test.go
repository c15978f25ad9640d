package py

import (
	"math"
	"runtime"
	"strings"
	"testing"
)

func TestLargeResultsAreErrorsNotMemory(t *testing.T) {
	x, million := Str("x"), Int(1_000_000_000)
	wide := argsOf(million)
	huge, err := caught(func() Value { return Globals.Range(argsOf(Int(1_000_000_000_000))) })
	if err != nil {
		t.Fatal(err)
	}
	method := func(name string, args ...Value) func() (Value, error) {
		return func() (Value, error) { return caught(func() Value { return callMethod(x, name, args, nil) }) }
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, f := range map[string]func() (Value, error){
		"'x' * 10**9":         func() (Value, error) { return caught(func() Value { return mul(x, million) }) },
		"[0] * 10**9":         func() (Value, error) { return caught(func() Value { return mul(NewList(Int(0)), million) }) },
		"10 ** 10**6":         func() (Value, error) { return caught(func() Value { return pow(Int(10), Int(1_000_000)) }) },
		"2 ** 2**62":          func() (Value, error) { return caught(func() Value { return pow(Int(2), Int(1<<62)) }) },
		"list(range(10**12))": func() (Value, error) { return caught(func() Value { return Filters.List(huge, Args{}) }) },
		"'x'.center(10**9)":   method("center", million),
		"'x'.zfill(10**9)":    method("zfill", million),
		"center":              func() (Value, error) { return caught(func() Value { return Filters.Center(x, wide) }) },
		"indent":              func() (Value, error) { return caught(func() Value { return Filters.Indent(x, wide) }) },
		"'%1000000000d' % 1": func() (Value, error) {
			return caught(func() Value { return mod(Str("%*d"), newTuple(million, Int(1))) })
		},
		"'{:>1000000}' * 100": func() (Value, error) { return caught(func() Value { return mul(Str("{:>1000000}"), Int(10_000_000)) }) },
		"batch with fill": func() (Value, error) {
			return collected(caught(func() Value { return Filters.Batch(NewList(x), argsOf(million, x)) }))
		},
		"slice": func() (Value, error) {
			return collected(caught(func() Value { return Filters.Slice(NewList(x), wide) }))
		},
		"range of large numbers": func() (Value, error) {
			return caught(func() Value { return Globals.Range(argsOf(Int(math.MaxInt64))) })
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		} else if e := err.(*exception); e.Kind != "LimitError" && e.Kind != "ValueError" {
			t.Errorf("%s: %s: %s", name, e.Kind, e.Message)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

func collected(v Value, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	items, err := caught(func() []Value { return collectValues(v) })
	return NewList(items...), err
}

func TestLongRangesStayCheap(t *testing.T) {
	huge, err := caught(func() Value { return Globals.Range(argsOf(Int(0), Int(1_000_000_000_000), Int(3))) })
	if err != nil {
		t.Fatal(err)
	}
	if n, err := caught(func() int { return lengthOf(huge) }); err != nil || n != 333_333_333_334 {
		t.Errorf("length %d, %v", n, err)
	}
	for v, want := range map[Value]bool{Int(999_999_999_999): true, Int(1): false, Float(3): true, Str("a"): false} {
		if got, err := caught(func() bool { return contains(v, huge) }); err != nil || got != want {
			t.Errorf("%v in the range: %v, %v", v, got, err)
		}
	}
	if v, err := caught(func() Value { return getItem(huge, Int(-1)) }); err != nil || v != Int(999_999_999_999) {
		t.Errorf("last item: %v, %v", v, err)
	}
}

// TestSharedAndDeepValuesEnd builds values that hold themselves twice on
// every level, which would take forever to walk through.
func TestSharedAndDeepValuesEnd(t *testing.T) {
	doubled := func(v Value) Value {
		for range 60 {
			v = newTuple(v, v)
		}
		return v
	}
	a, b := doubled(newTuple()), doubled(newTuple())
	long := doubled(Str(strings.Repeat("x", 1<<20)))
	deep := Value(NewList())
	for range 5000 {
		deep = NewList(deep)
	}
	for name, f := range map[string]func() error{
		"equality":       func() error { _, err := caught(func() bool { return equals(a, b) }); return err },
		"rendering":      func() error { _, err := Text(long); return err },
		"JSON":           func() error { _, err := Dumps(long, DumpsOptions{}); return err },
		"pprint":         func() error { _, err := caught(func() Value { return Filters.Pprint(a, Args{}) }); return err },
		"key":            func() error { return NewDict().Set(long, a) },
		"deep rendering": func() error { _, err := Text(deep); return err },
		"deep JSON":      func() error { _, err := Dumps(deep, DumpsOptions{}); return err },
		"deep pprint":    func() error { _, err := caught(func() Value { return Filters.Pprint(deep, Args{}) }); return err },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestListThatGrowsInItsOwnLoopEnds(t *testing.T) {
	l := NewList(Int(1))
	it, err := caught(func() *iterator { return newIterator(l) })
	if err != nil {
		t.Fatal(err)
	}
	for {
		v, ok := it.Next()
		if !ok {
			t.Fatal("it ended without the limit")
		}
		if _, err := caught(func() Value { return callMethod(l, "append", []Value{v}, nil) }); err != nil {
			if err.(*exception).Kind != "LimitError" {
				t.Error(err)
			}
			return
		}
	}
}
