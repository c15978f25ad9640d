package py

// plain binds no arguments and returns the answer.
func plain(a Args, name string, answer bool) (bool, error) {
	_, err := a.bind(name, 0)
	return answer, err
}

// TestDefined is the test defined.
func TestDefined(v Value, a Args) (bool, error) {
	_, missing := v.(*Undefined)
	return plain(a, "defined", !missing)
}

// TestUndefined is the test undefined.
func TestUndefined(v Value, a Args) (bool, error) {
	_, missing := v.(*Undefined)
	return plain(a, "undefined", missing)
}

// TestNone is the test none.
func TestNone(v Value, a Args) (bool, error) {
	_, ok := v.(None)
	return plain(a, "none", ok)
}

// TestBoolean is the test boolean.
func TestBoolean(v Value, a Args) (bool, error) {
	_, ok := v.(Bool)
	return plain(a, "boolean", ok)
}

// TestTrue is the test true: the value True and no other.
func TestTrue(v Value, a Args) (bool, error) {
	b, ok := v.(Bool)
	return plain(a, "true", ok && bool(b))
}

// TestFalse is the test false: the value False and no other.
func TestFalse(v Value, a Args) (bool, error) {
	b, ok := v.(Bool)
	return plain(a, "false", ok && !bool(b))
}

// TestInteger is the test integer; True and False are none.
func TestInteger(v Value, a Args) (bool, error) {
	switch v.(type) {
	case Int, *Big:
		return plain(a, "integer", true)
	}
	return plain(a, "integer", false)
}

// TestFloat is the test float.
func TestFloat(v Value, a Args) (bool, error) {
	_, ok := v.(Float)
	return plain(a, "float", ok)
}

// TestNumber is the test number; True and False are numbers.
func TestNumber(v Value, a Args) (bool, error) { return plain(a, "number", number(v) != nil) }

// TestString is the test string.
func TestString(v Value, a Args) (bool, error) {
	_, ok := v.(Str)
	return plain(a, "string", ok)
}

// TestMapping is the test mapping.
func TestMapping(v Value, a Args) (bool, error) {
	_, ok := v.(*Dict)
	return plain(a, "mapping", ok)
}

// TestSequence is the test sequence: what has a length and items; a dict too.
func TestSequence(v Value, a Args) (bool, error) {
	switch v := v.(type) {
	case *Undefined:
		return plain(a, "sequence", v.lenient)
	case Str, *List, *Tuple, *Dict, *Range:
		return plain(a, "sequence", true)
	}
	return plain(a, "sequence", false)
}

// TestIterable is the test iterable.
func TestIterable(v Value, a Args) (bool, error) {
	if _, err := a.bind("iterable", 0); err != nil {
		return false, err
	}
	_, err := Iterate(v)
	if isKind(err, "TypeError") {
		return false, nil
	}
	return err == nil, err
}

// TestCallable is the test callable.
func TestCallable(v Value, a Args) (bool, error) {
	switch v.(type) {
	case *Func, *Undefined, *Loop:
		return plain(a, "callable", true)
	}
	return plain(a, "callable", false)
}

// TestEscaped is the test escaped: nothing is, without autoescape.
func TestEscaped(_ Value, a Args) (bool, error) { return plain(a, "escaped", false) }

// TestSameas is the test sameas.
func TestSameas(v Value, a Args) (bool, error) {
	args, err := a.bind("sameas", 1, "other")
	if err != nil {
		return false, err
	}
	return same(v, args[0]), nil
}

// TestLower is the test lower.
func TestLower(v Value, a Args) (bool, error) { return caseTest(v, a, "lower", isLowerText) }

// TestUpper is the test upper.
func TestUpper(v Value, a Args) (bool, error) { return caseTest(v, a, "upper", isUpperText) }

func caseTest(v Value, a Args, name string, test func(string) bool) (bool, error) {
	s, _, err := textFilter(v, a, name, 0)
	return err == nil && test(s), err
}

// TestOdd is the test odd.
func TestOdd(v Value, a Args) (bool, error) { return modTest(v, a, "odd", 1) }

// TestEven is the test even.
func TestEven(v Value, a Args) (bool, error) { return modTest(v, a, "even", 0) }

func modTest(v Value, a Args, name string, rest Int) (bool, error) {
	if _, err := a.bind(name, 0); err != nil {
		return false, err
	}
	got, err := Mod(v, Int(2))
	if err != nil {
		return false, err
	}
	return Eq(got, rest)
}

// TestDivisibleby is the test divisibleby.
func TestDivisibleby(v Value, a Args) (bool, error) {
	args, err := a.bind("divisibleby", 1, "num")
	if err != nil {
		return false, err
	}
	rest, err := Mod(v, args[0])
	if err != nil {
		return false, err
	}
	return Eq(rest, Int(0))
}

// TestIn is the test in.
func TestIn(v Value, a Args) (bool, error) {
	args, err := a.bind("in", 1, "seq")
	if err != nil {
		return false, err
	}
	return In(v, args[0])
}

func operatorTest(v Value, a Args, name string, f func(a, b Value) (bool, error)) (bool, error) {
	args, err := a.positional(name, 1, 1)
	if err != nil {
		return false, err
	}
	return f(v, args[0])
}

// TestEq is the test eq, also called equalto and ==.
func TestEq(v Value, a Args) (bool, error) { return operatorTest(v, a, "eq", Eq) }

// TestNe is the test ne, also called !=.
func TestNe(v Value, a Args) (bool, error) { return operatorTest(v, a, "ne", Ne) }

// TestLt is the test lt, also called lessthan and <.
func TestLt(v Value, a Args) (bool, error) { return operatorTest(v, a, "lt", Lt) }

// TestLe is the test le, also called <=.
func TestLe(v Value, a Args) (bool, error) { return operatorTest(v, a, "le", Le) }

// TestGt is the test gt, also called greaterthan and >.
func TestGt(v Value, a Args) (bool, error) { return operatorTest(v, a, "gt", Gt) }

// TestGe is the test ge, also called >=.
func TestGe(v Value, a Args) (bool, error) { return operatorTest(v, a, "ge", Ge) }
