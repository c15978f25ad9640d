package envvar_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/envvar"
)

func TestDivide(t *testing.T) {
	environ := []string{"PATH=/bin", "EDITOR=vi", "MY_API_KEY=k", "CLOUD_TOKEN=t", "GH_TOKEN=g", "LC_ALL=C", "=C:=x", "WFC_STATE=s", "GH_TOKEN=again"}
	for name, test := range map[string]struct {
		needs, only     []string
		given, withheld string
	}{
		"what looks like a secret is withheld": {nil, nil, "PATH EDITOR LC_ALL C: WFC_STATE", "CLOUD_TOKEN GH_TOKEN MY_API_KEY"},
		"but what is needed":                   {[]string{"MY_API_KEY", "CLOUD_*"}, nil, "PATH EDITOR MY_API_KEY CLOUD_TOKEN LC_ALL C: WFC_STATE", "GH_TOKEN"},
		"nothing more than what every program": {nil, []string{}, "PATH LC_ALL C: WFC_STATE", "CLOUD_TOKEN EDITOR GH_TOKEN MY_API_KEY"},
		"and what is allowed and needed":       {[]string{"MY_API_KEY"}, []string{"*_TOKEN"}, "PATH MY_API_KEY CLOUD_TOKEN GH_TOKEN LC_ALL C: WFC_STATE GH_TOKEN", "EDITOR"},
		"or everything":                        {nil, []string{"*"}, "PATH EDITOR MY_API_KEY CLOUD_TOKEN GH_TOKEN LC_ALL C: WFC_STATE GH_TOKEN", ""},
	} {
		given, withheld := envvar.Divide(environ, test.needs, test.only, nil)
		var names []string
		for _, entry := range given {
			n, _, _ := strings.Cut(strings.TrimPrefix(entry, "="), "=")
			names = append(names, n)
		}
		if got := strings.Join(names, " "); got != test.given {
			t.Errorf("%s: given %s, want %s", name, got, test.given)
		}
		if got := strings.Join(withheld, " "); got != test.withheld {
			t.Errorf("%s: withheld %s, want %s", name, got, test.withheld)
		}
	}
}
