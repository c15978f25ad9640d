package value

// Flag returns a function that reports whether a text is a JSON object whose field of this
// name is true.
func Flag(field string) func(text string) bool {
	return func(text string) bool {
		v, err := Parse(text)
		if err != nil {
			return false
		}
		o, ok := v.(*Object)
		if !ok {
			return false
		}
		at, _ := o.Get(field)
		is, _ := at.(Bool)
		return bool(is)
	}
}
