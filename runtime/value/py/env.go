package py

// A Filter is the function of a filter. It is given the value and the
// arguments in parentheses.
type Filter func(v Value, a Args) (Value, error)

// A Test is the function of a test.
type Test func(v Value, a Args) (bool, error)

// An Env has the filters and tests that a filter such as `map` or `select` can
// apply by name. Programs list those that they use, or take AllFilters and
// AllTests when a name is only known at run time.
type Env struct {
	Filters map[string]Filter
	Tests   map[string]Test
}

// filter finds the filter that an argument names.
func (e *Env) filter(name Value) (Filter, error) {
	s, err := envName(name)
	if err != nil {
		return nil, err
	}
	if e != nil && e.Filters[s] != nil {
		return e.Filters[s], nil
	}
	return nil, raise("TemplateRuntimeError", "No filter named %s.", quote(s))
}

// test finds the test that an argument names.
func (e *Env) test(name Value) (Test, error) {
	s, err := envName(name)
	if err != nil {
		return nil, err
	}
	if e != nil && e.Tests[s] != nil {
		return e.Tests[s], nil
	}
	return nil, raise("TemplateRuntimeError", "No test named %s.", quote(s))
}

func envName(name Value) (string, error) {
	if s, ok := name.(Str); ok {
		return string(s), nil
	}
	_, err := hashOf(name, 0)
	if err != nil {
		return "", err
	}
	s, err := Repr(name)
	if err == nil {
		err = raise("TemplateRuntimeError", "No filter or test named %s.", s)
	}
	return "", err
}
