package py_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

func TestLargeResultsAreErrorsNotMemory(t *testing.T) {
	x, million := py.Str("x"), py.Int(1_000_000_000)
	wide := py.Of(million)
	huge, err := py.GlobalRange(py.Of(py.Int(1_000_000_000_000)))
	if err != nil {
		t.Fatal(err)
	}
	method := func(name string, args ...py.Value) func() (py.Value, error) {
		return func() (py.Value, error) { return py.CallAttr(x, name, args, nil) }
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, f := range map[string]func() (py.Value, error){
		"'x' * 10**9":            func() (py.Value, error) { return py.Mul(x, million) },
		"[0] * 10**9":            func() (py.Value, error) { return py.Mul(py.NewList(py.Int(0)), million) },
		"10 ** 10**6":            func() (py.Value, error) { return py.Pow(py.Int(10), py.Int(1_000_000)) },
		"2 ** 2**62":             func() (py.Value, error) { return py.Pow(py.Int(2), py.Int(1<<62)) },
		"list(range(10**12))":    func() (py.Value, error) { return py.FilterList(huge, py.Args{}) },
		"'x'.center(10**9)":      method("center", million),
		"'x'.zfill(10**9)":       method("zfill", million),
		"center":                 func() (py.Value, error) { return py.FilterCenter(x, wide) },
		"indent":                 func() (py.Value, error) { return py.FilterIndent(x, wide) },
		"'%1000000000d' % 1":     func() (py.Value, error) { return py.Mod(py.Str("%*d"), py.NewTuple(million, py.Int(1))) },
		"'{:>1000000}' * 100":    func() (py.Value, error) { return py.Mul(py.Str("{:>1000000}"), py.Int(10_000_000)) },
		"batch with fill":        func() (py.Value, error) { return collected(py.FilterBatch(py.NewList(x), py.Of(million, x))) },
		"slice":                  func() (py.Value, error) { return collected(py.FilterSlice(py.NewList(x), wide)) },
		"range of large numbers": func() (py.Value, error) { return py.GlobalRange(py.Of(py.Int(math.MaxInt64))) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		} else if e := err.(*py.Error); e.Kind != "LimitError" && e.Kind != "ValueError" {
			t.Errorf("%s: %s: %s", name, e.Kind, e.Message)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

func collected(v py.Value, err error) (py.Value, error) {
	if err != nil {
		return nil, err
	}
	items, err := py.Collect(v)
	return py.NewList(items...), err
}

func TestLongRangesStayCheap(t *testing.T) {
	huge, err := py.GlobalRange(py.Of(py.Int(0), py.Int(1_000_000_000_000), py.Int(3)))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := py.Len(huge); err != nil || n != 333_333_333_334 {
		t.Errorf("length %d, %v", n, err)
	}
	for v, want := range map[py.Value]bool{py.Int(999_999_999_999): true, py.Int(1): false, py.Float(3): true, py.Str("a"): false} {
		if got, err := py.In(v, huge); err != nil || got != want {
			t.Errorf("%v in the range: %v, %v", v, got, err)
		}
	}
	if v, err := py.Item(huge, py.Int(-1)); err != nil || v != py.Int(999_999_999_999) {
		t.Errorf("last item: %v, %v", v, err)
	}
}

// TestSharedAndDeepValuesEnd builds values that hold themselves twice on
// every level, which would take forever to walk through.
func TestSharedAndDeepValuesEnd(t *testing.T) {
	doubled := func(v py.Value) py.Value {
		for range 60 {
			v = py.NewTuple(v, v)
		}
		return v
	}
	a, b := doubled(py.NewTuple()), doubled(py.NewTuple())
	long := doubled(py.Str(strings.Repeat("x", 1<<20)))
	deep := py.Value(py.NewList())
	for range 5000 {
		deep = py.NewList(deep)
	}
	for name, f := range map[string]func() error{
		"equality":       func() error { _, err := py.Eq(a, b); return err },
		"rendering":      func() error { _, err := py.Text(long); return err },
		"JSON":           func() error { _, err := py.JSON(long, py.JSONOptions{}); return err },
		"pprint":         func() error { _, err := py.FilterPprint(a, py.Args{}); return err },
		"key":            func() error { return py.NewDict().Set(long, a) },
		"deep rendering": func() error { _, err := py.Text(deep); return err },
		"deep JSON":      func() error { _, err := py.JSON(deep, py.JSONOptions{}); return err },
		"deep pprint":    func() error { _, err := py.FilterPprint(deep, py.Args{}); return err },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestListThatGrowsInItsOwnLoopEnds(t *testing.T) {
	l := py.NewList(py.Int(1))
	it, err := py.Iterate(l)
	if err != nil {
		t.Fatal(err)
	}
	for {
		v, ok, err := it.Next()
		if err != nil || !ok {
			t.Fatalf("it ended without the limit: %v", err)
		}
		if _, err := py.CallAttr(l, "append", []py.Value{v}, nil); err != nil {
			if err.(*py.Error).Kind != "LimitError" {
				t.Error(err)
			}
			return
		}
	}
}
