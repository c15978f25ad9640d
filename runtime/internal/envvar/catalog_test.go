package envvar_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
)

// Programs that speak the Agent Client Protocol bring models of any service, the
// ones of the other kinds too, so they get the keys of all.
func TestAnyProgramGetsTheKeysOfEveryKind(t *testing.T) {
	acp, _ := catalog.KindNamed("acp")
	for _, kind := range catalog.Kinds() {
		for _, name := range kind.Credentials {
			if !envvar.Named(name, acp.PassEnv) {
				t.Errorf("%s of %s is withheld", name, kind.Name)
			}
			if !envvar.Named(name, kind.PassEnv) {
				t.Errorf("%s is withheld from its own kind %s", name, kind.Name)
			}
		}
	}
}
