package gen_test

import "strings"

// squeeze makes code one line without the commas that end lines, so that tests do
// not depend on where lines break.
func squeeze(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	code = strings.TrimSuffix(code, ",")
	return strings.NewReplacer("{ ", "{", ", }", "}", " }", "}", "( ", "(", ", )", ")").Replace(code)
}
