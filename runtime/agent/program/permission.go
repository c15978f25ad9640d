package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The permissions that kinds of agents have in common.
const (
	// Safe lets an agent read, and change nothing but by what the prompt allows.
	Safe = "safe"
	// Edit lets it change files of the folder that it works in.
	Edit = "edit"
	// All lets it do anything without asking.
	All = "all"
)

// Permission returns the permission of a choice: the kind's first one when it
// names none. The error names those that there are.
func Permission(c settings.Agent) (string, error) {
	kind, _ := catalog.KindNamed(c.Kind)
	switch {
	case c.Permission == "" && len(kind.Permissions) > 0:
		return kind.Permissions[0], nil
	case slices.Contains(kind.Permissions, c.Permission):
		return c.Permission, nil
	}
	return "", fmt.Errorf("there is no permission `%s`; there are `%s`", c.Permission, strings.Join(kind.Permissions, "`, `"))
}

// Allow says how an agent that was denied something gets it: by a wider
// permission, or in another way.
func Allow(agent, permission, other string) string {
	wider := map[string]string{Safe: "`permission: edit` or `permission: all`", Edit: "`permission: all`"}[permission]
	switch {
	case wider == "" && other == "":
		return "Its own settings deny it"
	case wider == "":
		return "Its own settings deny it, or " + other
	case other != "":
		other = ", or " + other
	}
	return fmt.Sprintf("Set %s of agent `%s` in wfc.yaml%s", wider, agent, other)
}
