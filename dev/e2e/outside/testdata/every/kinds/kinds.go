// Package kinds stands in for kinds of agents.
package kinds

import "github.com/wfc-lang/wfc/runtime/agent"

// Kind returns a kind that nobody opens.
func Kind() agent.Kind { return agent.Kind{Name: "nobody"} }
