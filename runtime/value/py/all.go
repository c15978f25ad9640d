package py

import "github.com/wfc-lang/wfc/runtime/value/py/names"

// AllFilters returns every filter by its name, for templates that name one at
// run time. A program that calls it carries them all.
func AllFilters() map[string]Filter {
	return map[string]Filter{
		"abs":            FilterAbs,
		"attr":           FilterAttr,
		"batch":          FilterBatch,
		"capitalize":     FilterCapitalize,
		"center":         FilterCenter,
		"count":          FilterLength,
		"d":              FilterDefault,
		"default":        FilterDefault,
		"dictsort":       FilterDictsort,
		"e":              FilterEscape,
		"escape":         FilterEscape,
		"filesizeformat": FilterFilesizeformat,
		"first":          FilterFirst,
		"float":          FilterFloat,
		"forceescape":    FilterForceescape,
		"format":         FilterFormat,
		"groupby":        FilterGroupby,
		"indent":         FilterIndent,
		"int":            FilterInt,
		"items":          FilterItems,
		"join":           FilterJoin,
		"last":           FilterLast,
		"length":         FilterLength,
		"list":           FilterList,
		"lower":          FilterLower,
		"map":            FilterMap,
		"max":            FilterMax,
		"min":            FilterMin,
		"pprint":         FilterPprint,
		"random":         FilterRandom,
		"reject":         FilterReject,
		"rejectattr":     FilterRejectattr,
		"replace":        FilterReplace,
		"reverse":        FilterReverse,
		"round":          FilterRound,
		"safe":           FilterSafe,
		"select":         FilterSelect,
		"selectattr":     FilterSelectattr,
		"slice":          FilterSlice,
		"sort":           FilterSort,
		"string":         FilterString,
		"striptags":      FilterStriptags,
		"sum":            FilterSum,
		"title":          FilterTitle,
		"tojson":         FilterTojson,
		"trim":           FilterTrim,
		"truncate":       FilterTruncate,
		"unique":         FilterUnique,
		"upper":          FilterUpper,
		"urlencode":      FilterUrlencode,
		"urlize":         FilterUrlize,
		"wordcount":      FilterWordcount,
		"wordwrap":       FilterWordwrap,
		"xmlattr":        FilterXmlattr,
	}
}

// AllTests returns every test by its name, like AllFilters.
func AllTests() map[string]Test {
	return map[string]Test{
		"!=":          TestNe,
		"<":           TestLt,
		"<=":          TestLe,
		"==":          TestEq,
		">":           TestGt,
		">=":          TestGe,
		"boolean":     TestBoolean,
		"callable":    TestCallable,
		"defined":     TestDefined,
		"divisibleby": TestDivisibleby,
		"eq":          TestEq,
		"equalto":     TestEq,
		"escaped":     TestEscaped,
		"even":        TestEven,
		"false":       TestFalse,
		"filter":      TestFilter,
		"float":       TestFloat,
		"ge":          TestGe,
		"greaterthan": TestGt,
		"gt":          TestGt,
		"in":          TestIn,
		"integer":     TestInteger,
		"iterable":    TestIterable,
		"le":          TestLe,
		"lessthan":    TestLt,
		"lower":       TestLower,
		"lt":          TestLt,
		"mapping":     TestMapping,
		"ne":          TestNe,
		"none":        TestNone,
		"number":      TestNumber,
		"odd":         TestOdd,
		"sameas":      TestSameas,
		"sequence":    TestSequence,
		"string":      TestString,
		"test":        TestTest,
		"true":        TestTrue,
		"undefined":   TestUndefined,
		"upper":       TestUpper,
	}
}

// TestFilter is the test filter: whether there is a filter of that name.
func TestFilter(v Value, a Args) (bool, error) {
	if _, err := hashOf(v, 0); err != nil {
		return false, err
	}
	s, _ := v.(Str)
	_, ok := names.Filter(string(s))
	return plain(a, "filter", ok)
}

// TestTest is the test test: whether there is a test of that name.
func TestTest(v Value, a Args) (bool, error) {
	if _, err := hashOf(v, 0); err != nil {
		return false, err
	}
	s, _ := v.(Str)
	_, ok := names.Test(string(s))
	return plain(a, "test", ok)
}
