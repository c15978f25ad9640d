package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// hidden stands for a secret in a text.
const hidden = "***"

// shortestSecret is the length of the shortest secret that is hidden: what is
// shorter, such as the "none" that servers of one's own are given, opens nothing
// and is a part of many words.
const shortestSecret = 6

// secrets are texts that must not be shown: the key, and the password of a base
// URL.
type secrets []string

func (c *Connection) secrets() secrets {
	list := secrets{c.Key}
	if u, err := url.Parse(c.BaseURL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		list = append(list, password)
	}
	return list
}

// hide returns the text without the secrets, in whatever way they were written.
func (s secrets) hide(text string) string {
	for _, secret := range s {
		if len(secret) < shortestSecret {
			continue
		}
		quoted, err := json.Marshal(secret)
		if err != nil {
			panic(err) // a text encodes
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`)} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
}

// plain returns an error as a failure of its own, without the secrets: the
// errors of SDKs hold on to requests with all their headers. The end of a
// context stays what it is.
func (s secrets) plain(err error) error {
	if err == nil {
		return nil
	}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			return end
		}
	}
	var f *flow.Failure
	if !errors.As(err, &f) {
		return errors.New(s.hide(err.Error()))
	}
	clean := *f
	clean.Message = s.hide(err.Error())
	return &clean
}
