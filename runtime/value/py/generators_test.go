package py

import (
	"math"
	"math/big"
	"strings"

	"pgregory.net/rapid"
)

// letters are code points that something treats specially; newer ones than Python's Unicode has are left out.
var letters = []rune("aAbzZ019_-.,:;!?+*/%{}()[]<>&#@|='\"\\ \n\t\r\v\x00\x1c\x7f\u0085\u00a0éßİıΣσςǅﬁ½²٣中😀\u2028\u200b\u0301")

// samples are texts that make sense to some method, filter or format.
var samples = []string{"", "a", "Ab c", "hello World-wide foo", "%s", "%5.2f|%d", "%(a)s", "{}", "{0:>8,}", "{a[0]!r:5}", "1", " 42 ", "-7.5e3", "0x1F", "1_000", "inf",
	"x\ny\r\nz", "<a href='x'>&amp; b</a>", "upper", "a.b.0", "a", "b", "key", "value", "lower", ", ", "ab", "b", "aXbXc", "http://x.org/a?b=(c).", "Write to me@example.com, or www.foo.com!",
	"one two three four five six seven eight nine ten", "well-known half-open--dash e.g. a-b", "ceil", "floor", "common"}

func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(samples),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 8), func(r []rune) string { return string(r) }),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(samples), 2, 3), func(s []string) string { return strings.Join(s, " ") }),
	)
}

var floatSamples = []float64{0, math.Copysign(0, -1), 0.5, 1, 1.5, 2.5, -2.5, 3.25, 1e15, 1e16, 123456789.125, 1e22, 1e300, 5e-324, math.NaN(), math.Inf(1), math.Inf(-1), 12.25, 0.1, -0.045, 1e-5}

// scalars draws what holds no other value.
func scalars() *rapid.Generator[Value] {
	return rapid.OneOf(
		rapid.Just[Value](None{}),
		rapid.Map(rapid.Bool(), valueOf),
		rapid.Map(rapid.Int64Range(-5, 20), valueOf),
		rapid.Map(rapid.Int64(), valueOf),
		rapid.Map(rapid.SampledFrom(floatSamples), valueOf),
		rapid.Map(rapid.Float64(), valueOf),
		rapid.Map(texts(), valueOf),
		rapid.Map(texts(), valueOf),
		rapid.Map(rapid.Int64(), func(n int64) Value {
			return newInt(new(big.Int).Mul(big.NewInt(n), big.NewInt(math.MaxInt64)))
		}),
		rapid.Map(rapid.SliceOfN(rapid.Int64Range(-4, 9), 1, 3), func(n []int64) Value {
			r, err := caught(func() Value { return Globals.Range(argsOf(ListOf(n).Items()...)) })
			if err != nil {
				return None{}
			}
			return r
		}),
	)
}

// undefineds draws values that are not there.
func undefineds() *rapid.Generator[Value] {
	return rapid.Map(rapid.Bool(), func(strict bool) Value {
		if strict {
			return undefinedName("nope")
		}
		return noElse()
	})
}

// containers draws values of which the inner ones are drawn by items.
func containers(items *rapid.Generator[Value]) *rapid.Generator[Value] {
	lists := rapid.SliceOfN(items, 0, 4)
	return rapid.OneOf(
		rapid.Map(lists, func(v []Value) Value { return NewList(v...) }),
		rapid.Map(lists, func(v []Value) Value { return newTuple(v...) }),
		rapid.Map(rapid.SliceOfN(rapid.Int64Range(-3, 9), 0, 6), func(n []int64) Value { return ListOf(n) }),
		rapid.Map(rapid.SliceOfN(texts(), 0, 5), func(s []string) Value { return ListOf(s) }),
		rapid.Map(rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 5), func(n []int64) Value {
			l := NewList()
			for _, n := range n {
				l.items = append(l.items, record(Int(n%2), Str([]string{"x", "Y", "y", "z"}[n])))
			}
			return l
		}),
		rapid.Map(lists, func(v []Value) Value { return record(v...) }),
		rapid.Map(lists, func(v []Value) Value {
			d := NewDict()
			for i, item := range v {
				if err := d.Set(item, v[(i+1)%len(v)]); err != nil {
					_ = d.SetStr("k", item)
				}
			}
			return d
		}),
	)
}

// record makes a dict with keys that filters are asked for.
func record(v ...Value) Value {
	d := NewDict()
	for i, item := range v {
		_ = d.SetStr([]string{"a", "b", "key", "items"}[i], item)
	}
	return d
}

// defined draws values of all kinds that hold nothing undefined.
func defined(depth int) *rapid.Generator[Value] {
	if depth == 0 {
		return scalars()
	}
	return rapid.OneOf(scalars(), containers(defined(depth-1)))
}

// values draws values of all kinds.
func values(depth int) *rapid.Generator[Value] {
	if depth == 0 {
		return rapid.OneOf(scalars(), undefineds())
	}
	return rapid.OneOf(scalars(), undefineds(), containers(values(depth-1)))
}
