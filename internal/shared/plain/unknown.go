package plain

import (
	"fmt"
	"slices"
	"strings"
)

// maxListed is the maximum number of known names that a message lists.
const maxListed = 20

// UnknownName returns the message about an unknown name. kind says what it would name, such as
// "input" or "kind of agent".
func UnknownName[S ~string](kind string, name S, known []S) string {
	return fmt.Sprintf("unknown %s `%s`", kind, name) + Instead(name, known)
}

// UnknownValue returns the message about a value that a flag does not have.
func UnknownValue(flag, value string, known []string) string {
	return fmt.Sprintf("unknown value `%s` of `--%s`", value, flag) + Instead(value, known)
}

// Instead returns the end of a message about an unknown name: a question about the
// nearest known name, or else the known names. It is empty if known is.
func Instead[S ~string](name S, known []S) string {
	names := Strings(known)
	question := DidYouMean(string(name), names)
	switch {
	case question != "":
		return question
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return ": use `" + names[0] + "`"
	case len(names) > maxListed:
		return fmt.Sprintf(": use one of %s and %d more", NameList(names[:maxListed]), len(names)-maxListed)
	}
	return ": use one of " + NameList(names)
}

// NameList returns names in backticks, separated by commas.
func NameList(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// JoinAnd lists words as people do.
func JoinAnd(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// AddNew adds to a list the items that it doesn't have. The zero value is no item.
func AddNew[S ~[]E, E comparable](list S, items ...E) S {
	var none E
	for _, item := range items {
		if item != none && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// Strings returns strings of a string type.
func Strings[T ~string](list []T) []string {
	return Texts(list, func(v T) string { return string(v) })
}

// Texts returns a text of each item of a list.
func Texts[T any](list []T, text func(v T) string) (all []string) {
	for _, v := range list {
		all = append(all, text(v))
	}
	return all
}

// PutEntry sets an entry of a map, which may be nil.
func PutEntry[K comparable, V any](table *map[K]V, key K, value V) {
	if *table == nil {
		*table = map[K]V{}
	}
	(*table)[key] = value
}
