package py

// FilterDefault is the filter default, also called d.
func FilterDefault(v Value, a Args) (Value, error) {
	args, err := a.bind("default", 0, "default_value", "boolean")
	if err != nil {
		return nil, err
	}
	fallback := args[0]
	if fallback == nil {
		fallback = Str("")
	}
	if _, missing := v.(*Undefined); missing {
		return fallback, nil
	}
	also, err := truthArg(args[1])
	if err != nil || !also {
		return v, err
	}
	if ok, err := Truth(v); err != nil || ok {
		return v, err
	}
	return fallback, nil
}

// FilterAttr is the filter attr: an attribute, never an item.
func FilterAttr(v Value, a Args) (Value, error) {
	args, err := a.bind("attr", 1, "name")
	if err != nil {
		return nil, err
	}
	name, ok := args[0].(Str)
	if !ok {
		return nil, typeError("attribute name must be string, not '%s'", args[0].typeName())
	}
	got, err := attribute(v, string(name))
	if got == nil && err == nil {
		return undefinedAttr(v, string(name)), nil
	}
	return got, err
}

// FilterTojson is the filter tojson. In xprompt it is Python's json.dumps with its
// keyword arguments, and does not escape for HTML.
func FilterTojson(v Value, a Args) (Value, error) {
	if len(a.Pos) > 0 {
		return nil, typeError("dumps() takes 1 positional argument but %d were given", len(a.Pos)+1)
	}
	args, err := a.bind("dumps", 0, "indent", "separators", "sort_keys", "ensure_ascii", "allow_nan", "skipkeys", "check_circular", "cls", "default")
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"cls", "default"} {
		if _, none := args[7+i].(None); args[7+i] != nil && !none {
			return nil, unsupported("`%s` of tojson is not supported", name)
		}
	}
	var o JSONOptions
	if err := o.indent(args[0]); err != nil {
		return nil, err
	}
	if err := o.separators(args[1]); err != nil {
		return nil, err
	}
	for i, to := range []*bool{&o.SortKeys, &o.KeepUnicode, &o.NoNaN, &o.SkipKeys} {
		opposite := i == 1 || i == 2 // ensure_ascii and allow_nan are true when they are missing
		given, err := truthOr(args[i+2], opposite)
		if err != nil {
			return nil, err
		}
		*to = given != opposite
	}
	s, err := JSON(v, o)
	return Str(s), err
}

func (o *JSONOptions) indent(v Value) error {
	switch v := v.(type) {
	case nil, None:
		return nil
	case Str:
		o.Indent, o.Indented = string(v), true
		return nil
	}
	by, err := Mul(Str(" "), v)
	if err != nil {
		return unsupported("`indent` of tojson must be a text, a whole number or None")
	}
	o.Indent, o.Indented = string(by.(Str)), true
	return nil
}

func (o *JSONOptions) separators(v Value) error {
	if _, none := v.(None); none || v == nil {
		return nil
	}
	pair, err := Unpack(v, 2)
	if err != nil {
		return err
	}
	if o.ItemSeparator, err = strArg(pair[0]); err != nil {
		return err
	}
	o.Separated = true
	o.KeySeparator, err = strArg(pair[1])
	return err
}
