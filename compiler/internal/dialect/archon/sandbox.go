package archon

import "github.com/wfc-lang/wfc/compiler/internal/dialect/decode"

// sandboxDecl remembers whether everything in a sandbox option is of the right
// kind.
type sandboxDecl struct{ ok bool }

// The sandbox option is passed on to the agent with keys that it does not
// list; the mappings inside it are not.
var (
	sandboxLevel    = level{Where: "under `sandbox:`", Name: "`sandbox`", Prefix: "sandbox.", Open: true}
	networkLevel    = level{Where: "under `sandbox.network:`", Name: "`sandbox.network`", Prefix: "sandbox.network."}
	filesystemLevel = level{Where: "under `sandbox.filesystem:`", Name: "`sandbox.filesystem`", Prefix: "sandbox.filesystem."}
	ripgrepLevel    = level{Where: "under `sandbox.ripgrep:`", Name: "`sandbox.ripgrep`", Prefix: "sandbox.ripgrep."}
	piLevel         = level{Where: "under `pi:`", Name: "`pi`", Prefix: "pi."}
)

var sandboxFields = []field[sandboxDecl]{
	{Name: "enabled", Read: sandboxFlag},
	{Name: "autoAllowBashIfSandboxed", Read: sandboxFlag},
	{Name: "allowUnsandboxedCommands", Read: sandboxFlag},
	{Name: "enableWeakerNestedSandbox", Read: sandboxFlag},
	{Name: "enableWeakerNetworkIsolation", Read: sandboxFlag},
	{Name: "excludedCommands", Read: sandboxTexts},
	{Name: "ignoreViolations", Read: sandboxLists},
	{Name: "network", Read: func(d *decoder, v value, s *sandboxDecl) {
		s.ok = decode.Fields(d, networkLevel, v, networkFields, s) && s.ok
	}},
	{Name: "filesystem", Read: func(d *decoder, v value, s *sandboxDecl) {
		s.ok = decode.Fields(d, filesystemLevel, v, filesystemFields, s) && s.ok
	}},
	{Name: "ripgrep", Read: func(d *decoder, v value, s *sandboxDecl) {
		if !decode.Fields(d, ripgrepLevel, v, ripgrepFields, s) {
			s.ok = false
			return
		}
		s.ok = d.missing(v, ripgrepLevel, "command") && s.ok
	}},
}

var networkFields = []field[sandboxDecl]{
	{Name: "allowedDomains", Read: sandboxTexts},
	{Name: "allowManagedDomainsOnly", Read: sandboxFlag},
	{Name: "allowUnixSockets", Read: sandboxTexts},
	{Name: "allowAllUnixSockets", Read: sandboxFlag},
	{Name: "allowLocalBinding", Read: sandboxFlag},
	{Name: "httpProxyPort", Read: sandboxNumber},
	{Name: "socksProxyPort", Read: sandboxNumber},
}

var filesystemFields = []field[sandboxDecl]{
	{Name: "allowWrite", Read: sandboxTexts},
	{Name: "denyWrite", Read: sandboxTexts},
	{Name: "denyRead", Read: sandboxTexts},
}

var ripgrepFields = []field[sandboxDecl]{
	{Name: "command", Read: func(d *decoder, v value, s *sandboxDecl) { _, ok := d.Text(v); s.ok = s.ok && ok }},
	{Name: "args", Read: sandboxTexts},
}

var piFields = []field[sandboxDecl]{
	{Name: "enableExtensions", Read: sandboxFlag},
	{Name: "interactive", Read: sandboxFlag},
	{Name: "extensionFlags", Read: func(d *decoder, v value, s *sandboxDecl) {
		if !d.IsMapping(v) {
			s.ok = false
			return
		}
		for _, p := range v.Node.Pairs {
			if kind := decode.KindOf(p.Value); kind != "a boolean" && kind != "a text" {
				d.WrongKind(v.Member(&p), "true, false or a text")
				s.ok = false
			}
		}
	}},
}

func sandboxFlag(d *decoder, v value, s *sandboxDecl) {
	_, ok := d.Flag(v)
	s.ok = s.ok && ok
}

func sandboxTexts(d *decoder, v value, s *sandboxDecl) {
	_, ok := d.Entries(v, d.Text)
	s.ok = s.ok && ok
}

func sandboxNumber(d *decoder, v value, s *sandboxDecl) {
	_, ok := d.Number(v)
	s.ok = s.ok && ok
}

// sandboxLists reads a mapping of names to lists of texts.
func sandboxLists(d *decoder, v value, s *sandboxDecl) {
	if !d.IsMapping(v) {
		s.ok = false
		return
	}
	for _, p := range v.Node.Pairs {
		sandboxTexts(d, v.Member(&p), s)
	}
}

func readSandbox(d *decoder, v value) (string, bool) {
	s := sandboxDecl{ok: true}
	ok := decode.Fields(d, sandboxLevel, v, sandboxFields, &s)
	return v.Node.JSON(), ok && s.ok
}

// readPi reads the settings that only the agent pi has.
func readPi(d *decoder, v value) (string, bool) {
	s := sandboxDecl{ok: true}
	ok := decode.Fields(d, piLevel, v, piFields, &s)
	return v.Node.JSON(), ok && s.ok
}
