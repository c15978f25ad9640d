package mcp

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK checks the arguments of a call by the tool's schema, and says what is
// wrong in the words of the schema's validator. plainArguments says it in ours.

var (
	missingArguments = regexp.MustCompile(`required: missing properties: \[(.*?)\]`)
	unknownArguments = regexp.MustCompile(`unexpected additional properties \[(.*?)\]`)
	deniedArgument   = regexp.MustCompile(`/properties/([^/:]+): .*not: validated against`)
	wrongArgument    = regexp.MustCompile(`validating \S*/properties/([^/:]+): .*has type "(\w+)", want (?:one of )?(.*)$`)
	noChoice         = regexp.MustCompile(`validating \S*/properties/([^/:]+): enum: (.*) does not equal any of: \[(.*)\]$`)
	place            = regexp.MustCompile(`validating \S*: `)
)

// plainly has a server say what is wrong with arguments in plain words.
func plainly(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		called, ok := result.(*sdk.CallToolResult)
		if !ok || called == nil || !called.IsError {
			return result, err
		}
		for _, c := range called.Content {
			if text, ok := c.(*sdk.TextContent); ok && strings.HasPrefix(text.Text, "validating ") {
				text.Text = plainArguments(text.Text)
			}
		}
		return result, err
	}
}

// plainArguments words what the validator says of a call's arguments.
func plainArguments(text string) string {
	if m := missingArguments.FindStringSubmatch(text); m != nil {
		return "missing argument " + quotedNames(m[1])
	}
	if m := unknownArguments.FindStringSubmatch(text); m != nil {
		return "unknown argument " + quotedNames(m[1])
	}
	if m := noChoice.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("`%s` cannot be %s; it is one of: %s", m[1], m[2], strings.Join(strings.Fields(m[3]), ", "))
	}
	if m := wrongArgument.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("`%s` must be of type %s, not %s", m[1], strings.ReplaceAll(strings.Trim(m[3], `[]"`), `" "`, " or "), m[2])
	}
	if m := deniedArgument.FindStringSubmatch(text); m != nil {
		return "unknown argument `" + m[1] + "`"
	}
	return "the arguments do not fit the tool's schema: " + place.ReplaceAllString(text, "")
}

// quotedNames are names as the validator lists them, each in backticks.
func quotedNames(list string) string {
	return "`" + strings.Join(strings.Split(strings.Trim(list, `"`), `" "`), "`, `") + "`"
}
