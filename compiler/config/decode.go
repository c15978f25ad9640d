package config

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A key is a key of a mapping, and the function that reads its value; that gets the full
// name of the setting for messages.
type key struct {
	decode.Key
	read func(setting string, n *yamlsrc.Node)
}

// readInto reads a value into a field.
func readInto[T any](field *T, read func(setting string, n *yamlsrc.Node) T) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) { *field = read(setting, n) }
}

// A decoder fills a configuration from a document.
type decoder struct {
	reader
	config *Config
	// later are checks that need the whole file.
	later []func()
}

// A reader reads single values, and reports those that are wrong.
type reader struct{ bag *diag.Bag }

func (r reader) reportWrong(setting string, n *yamlsrc.Node, want string) {
	r.bag.Add(finding.ConfigValue(n.Place(), setting, want))
}

// mappingReader reads a mapping with known keys.
func (r reader) mappingReader(keys []key) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) { r.readSection(setting, n, keys) }
}

// readSection reads a mapping with known keys.
func (r reader) readSection(setting string, n *yamlsrc.Node, keys []key) {
	for pair := range r.mappingPairs(setting, n) {
		name := pair.Key.Value
		i := slices.IndexFunc(keys, func(k key) bool { return k.Name == name })
		if i < 0 {
			where, known := "", []string{}
			if setting != "" {
				where = fmt.Sprintf("in `%s`", setting)
			}
			for _, k := range keys {
				known = append(known, k.Name)
			}
			if home := homes[name]; home != "" && setting == "" {
				r.bag.Add(finding.MisplacedSetting(pair.Key.Span, name, home))
				continue
			}
			r.bag.Add(finding.ConfigKey(pair.Key.Span, name, where, known))
			continue
		}
		keys[i].read(joinSetting(setting, name), pair.Value)
	}
}

// homes says where the settings belong that people put at the top of the file.
var homes = func() map[string]string {
	all := map[string]string{
		"schedule":   "`workflows: {\"PATH\": {schedule: \"0 7 * * *\"}}`",
		"deliver_to": "`workflows: {\"PATH\": {deliver_to: [slack]}}`",
		"triggers":   "`workflows: {\"PATH\": {triggers: [{on: {branch: main}}]}}`",
		"tags":       "`workflows: {\"PATH\": {tags: {NODE: TAG}}}`",
	}
	for _, kind := range target.Kinds() {
		all[kind] = "`delivery: {channels: {" + kind + ": …}}`, and name it in `workflows: {\"PATH\": {deliver_to: [" + kind + "]}}`"
	}
	return all
}()

func joinIndex(setting string, i int) string { return fmt.Sprintf("%s[%d]", setting, i) }

func joinSetting(setting, name string) string {
	if setting == "" {
		return name
	}
	return setting + "." + name
}

// mappingPairs yields the pairs of a mapping and reports anything else. An empty
// section has none.
func (r reader) mappingPairs(setting string, n *yamlsrc.Node) func(yield func(yamlsrc.Pair) bool) {
	return func(yield func(yamlsrc.Pair) bool) {
		if n.IsNull() && setting != "" {
			return
		}
		if n.Kind != yamlsrc.Mapping {
			setting = cmp.Or(setting, FileName)
			r.reportWrong(setting, n, "a mapping of names to values")
			return
		}
		for _, pair := range n.Pairs {
			if !yield(pair) {
				return
			}
		}
	}
}

// listItems returns the items of a list, or the value itself if it is not a list.
func listItems(n *yamlsrc.Node) []*yamlsrc.Node {
	if n.Kind == yamlsrc.Sequence {
		return n.Items
	}
	return []*yamlsrc.Node{n}
}

// wordReader reads a string that is right; want says which are.
func (r reader) wordReader(want string, right func(text string) bool) func(setting string, n *yamlsrc.Node) string {
	return func(setting string, n *yamlsrc.Node) string {
		if !n.IsString() || !right(n.Value) {
			r.reportWrong(setting, n, want)
			return ""
		}
		return n.Value
	}
}

func (r reader) readText(setting string, n *yamlsrc.Node) string {
	return r.wordReader("a string that is not empty", func(text string) bool { return strings.TrimSpace(text) != "" })(setting, n)
}

// listReader reads the items of a list, or a single one; an empty list is none. read
// returns false for items that are wrong; want says which are right.
func listReader[T any](r reader, want string, read func(n *yamlsrc.Node) (T, bool)) func(setting string, n *yamlsrc.Node) []T {
	return func(setting string, n *yamlsrc.Node) []T {
		all := []T{}
		for _, item := range listItems(n) {
			if v, ok := read(item); ok {
				all = append(all, v)
			} else {
				r.reportWrong(setting, item, want)
			}
		}
		return all
	}
}

// readTexts reads a list of strings, or a single one.
func (r reader) readTexts(setting string, n *yamlsrc.Node) []string {
	if n.IsString() {
		return []string{r.readText(setting, n)}
	}
	if n.Kind != yamlsrc.Sequence || len(n.Items) == 0 {
		r.reportWrong(setting, n, "a string or a list of strings")
		return nil
	}
	var list []string
	for i, item := range n.Items {
		if t := r.readText(fmt.Sprintf("%s[%d]", setting, i), item); t != "" {
			list = append(list, t)
		}
	}
	return list
}

func (r reader) readChoice(setting string, n *yamlsrc.Node, choices []string) string {
	if n.Kind == yamlsrc.Scalar && slices.Contains(choices, n.Value) {
		return n.Value
	}
	r.bag.Add(finding.ConfigChoice(n.Place(), setting, n.Value, choices))
	return ""
}

// oneOf reads one of several strings.
func oneOf[T ~string](r reader, choices ...T) func(setting string, n *yamlsrc.Node) T {
	names := plain.Strings(choices)
	return func(setting string, n *yamlsrc.Node) T { return T(r.readChoice(setting, n, names)) }
}

// readFlag reads a boolean.
func (r reader) readFlag(setting string, n *yamlsrc.Node) bool {
	if n.Kind != yamlsrc.Scalar || n.Tag != yamlsrc.TagBool {
		r.reportWrong(setting, n, "true or false")
	}
	return n.Value == "true"
}

// countReader reads a whole number of at least 1.
func countReader[T int | int64](r reader) func(setting string, n *yamlsrc.Node) T {
	return func(setting string, n *yamlsrc.Node) T {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yamlsrc.Scalar || n.Tag != yamlsrc.TagInt || err != nil || v < 1 {
			r.reportWrong(setting, n, "an integer of at least 1")
			return 0
		}
		return T(v)
	}
}

// numberReader reads a number that is right; want says which are.
func (r reader) numberReader(want string, right func(v float64) bool) func(setting string, n *yamlsrc.Node) float64 {
	return func(setting string, n *yamlsrc.Node) float64 {
		v, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != yamlsrc.Scalar || n.Tag != yamlsrc.TagInt && n.Tag != yamlsrc.TagFloat || err != nil || math.IsInf(v, 0) || !right(v) {
			r.reportWrong(setting, n, want)
			return 0
		}
		return v
	}
}

// readArguments reads the arguments of a program; an empty list is none.
func (r reader) readArguments(setting string, n *yamlsrc.Node) []string {
	if n.Kind != yamlsrc.Sequence {
		r.reportWrong(setting, n, "a list of strings")
		return nil
	}
	list := []string{}
	for i, item := range n.Items {
		if !item.IsString() || strings.ContainsRune(item.Value, 0) {
			r.reportWrong(fmt.Sprintf("%s[%d]", setting, i), item, "a string")
			continue
		}
		list = append(list, item.Value)
	}
	return list
}

// isAddress reports whether a string is the address of a service. One with a name
// and a password in it would be written into programs and shown.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// readDatabaseURL reads the URL of a database. The file is kept with the project, and
// programs contain it: neither is a place for a password.
func (r reader) readDatabaseURL(setting string, n *yamlsrc.Node) string {
	text := r.readText(setting, n)
	if text == "" {
		return ""
	}
	want := ""
	u, err := databaseurl.Parse(text)
	switch {
	case err != nil || u.Host == "" && u.Query().Get("host") == "":
		want = "a URL such as postgres://user@host/name, without a password and with special characters encoded (@ as %40)"
	case u.HasPassword():
		want = "a URL without a password, which belongs into WFC_DATABASE_URL, PGPASSWORD or ~/.pgpass"
	default:
		return text
	}
	wrong := finding.ConfigValue(n.Place(), setting, want)
	wrong.Private = true // the value may hold a password
	r.bag.Add(wrong)
	return ""
}

// secretVariable reads the name of an environment variable with a secret.
func (r reader) secretVariable(setting string, n *yamlsrc.Node) string {
	name := r.readText(setting, n)
	if strings.ContainsAny(name, "=:/$ \t\n") {
		r.reportWrong(setting, n, "the name of an environment variable; the secret itself does not belong here")
		return ""
	}
	return name
}

// readVariables reads patterns of names of environment variables.
func (r reader) readVariables(setting string, n *yamlsrc.Node) []string {
	return listReader(r, "the name of an environment variable such as `AWS_*`, where `*` is a wildcard", func(n *yamlsrc.Node) (string, bool) {
		return n.Value, n.IsString() && validVariable(strings.ReplaceAll(n.Value, "*", "x"))
	})(setting, n)
}

// readExcludePatterns reads patterns of files and folders.
func (r reader) readExcludePatterns(setting string, n *yamlsrc.Node) []string {
	if n.Kind != yamlsrc.Scalar && len(n.Items) == 0 {
		r.reportWrong(setting, n, "a pattern or a list of patterns")
		return nil
	}
	return listReader(r, "a pattern below this folder, such as `vendor` or `flows/**/*.yaml`", func(n *yamlsrc.Node) (string, bool) {
		pattern := strings.TrimSuffix(strings.TrimPrefix(n.Value, "./"), "/")
		return pattern, n.IsString() && glob.Valid(pattern) && !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "../")
	})(setting, n)
}

// readOperands reads the numbers of a program's operands; `all` is 0.
func (r reader) readOperands(setting string, n *yamlsrc.Node) []int {
	if n.Kind == yamlsrc.Scalar && n.Value == "all" {
		return []int{0}
	}
	return listReader(r, "the numbers of operands, starting at 1, or `all`", func(n *yamlsrc.Node) (int, bool) {
		number, err := strconv.Atoi(n.Value)
		return number, n.Kind == yamlsrc.Scalar && err == nil && number >= 1
	})(setting, n)
}

// readFlags reads names of command-line options.
func (r reader) readFlags(setting string, n *yamlsrc.Node) []string {
	return listReader(r, "options such as `--hook` or `-e`", func(n *yamlsrc.Node) (string, bool) {
		return n.Value, n.IsString() && strings.HasPrefix(n.Value, "-") && len(n.Value) > 1 && !strings.ContainsAny(n.Value, "= \t\n")
	})(setting, n)
}
