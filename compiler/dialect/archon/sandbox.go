package archon

// sandboxDecl remembers whether everything in a sandbox option is of the right
// kind.
type sandboxDecl struct{ ok bool }

// The sandbox option is passed on to the agent with keys that it does not
// list; the mappings inside it are not.
var (
	sandboxLevel    = level{where: "under `sandbox:`", name: "`sandbox`", prefix: "sandbox.", open: true}
	networkLevel    = level{where: "under `sandbox.network:`", name: "`sandbox.network`", prefix: "sandbox.network."}
	filesystemLevel = level{where: "under `sandbox.filesystem:`", name: "`sandbox.filesystem`", prefix: "sandbox.filesystem."}
	ripgrepLevel    = level{where: "under `sandbox.ripgrep:`", name: "`sandbox.ripgrep`", prefix: "sandbox.ripgrep."}
	piLevel         = level{where: "under `pi:`", name: "`pi`", prefix: "pi."}
)

var sandboxFields = []field[sandboxDecl]{
	{"enabled", sandboxFlag},
	{"autoAllowBashIfSandboxed", sandboxFlag},
	{"allowUnsandboxedCommands", sandboxFlag},
	{"enableWeakerNestedSandbox", sandboxFlag},
	{"enableWeakerNetworkIsolation", sandboxFlag},
	{"excludedCommands", sandboxTexts},
	{"ignoreViolations", sandboxLists},
	{"network", func(d *decoder, v value, s *sandboxDecl) {
		s.ok = decodeFields(d, networkLevel, v, networkFields, s) && s.ok
	}},
	{"filesystem", func(d *decoder, v value, s *sandboxDecl) {
		s.ok = decodeFields(d, filesystemLevel, v, filesystemFields, s) && s.ok
	}},
	{"ripgrep", func(d *decoder, v value, s *sandboxDecl) {
		if !decodeFields(d, ripgrepLevel, v, ripgrepFields, s) {
			s.ok = false
			return
		}
		d.missing(v, ripgrepLevel, "command")
		s.ok = s.ok && v.node.Pair("command") != nil
	}},
}

var networkFields = []field[sandboxDecl]{
	{"allowedDomains", sandboxTexts},
	{"allowManagedDomainsOnly", sandboxFlag},
	{"allowUnixSockets", sandboxTexts},
	{"allowAllUnixSockets", sandboxFlag},
	{"allowLocalBinding", sandboxFlag},
	{"httpProxyPort", sandboxNumber},
	{"socksProxyPort", sandboxNumber},
}

var filesystemFields = []field[sandboxDecl]{
	{"allowWrite", sandboxTexts},
	{"denyWrite", sandboxTexts},
	{"denyRead", sandboxTexts},
}

var ripgrepFields = []field[sandboxDecl]{
	{"command", func(d *decoder, v value, s *sandboxDecl) { _, ok := d.text(v); s.ok = s.ok && ok }},
	{"args", sandboxTexts},
}

var piFields = []field[sandboxDecl]{
	{"enableExtensions", sandboxFlag},
	{"interactive", sandboxFlag},
	{"extensionFlags", func(d *decoder, v value, s *sandboxDecl) {
		if !d.isMapping(v) {
			s.ok = false
			return
		}
		for _, p := range v.node.Pairs {
			inner := value{node: p.Value, key: p.Key, path: v.path + "." + p.Key.Value}
			if kind := kindOf(p.Value); kind != "a boolean" && kind != "a text" {
				d.wrongKind(inner, "true, false or a text")
				s.ok = false
			}
		}
	}},
}

func sandboxFlag(d *decoder, v value, s *sandboxDecl) {
	_, ok := d.flag(v)
	s.ok = s.ok && ok
}

func sandboxTexts(d *decoder, v value, s *sandboxDecl) {
	_, ok := d.texts(v, false)
	s.ok = s.ok && ok
}

func sandboxNumber(d *decoder, v value, s *sandboxDecl) {
	_, ok := d.number(v)
	s.ok = s.ok && ok
}

// sandboxLists reads a mapping of names to lists of texts.
func sandboxLists(d *decoder, v value, s *sandboxDecl) {
	if !d.isMapping(v) {
		s.ok = false
		return
	}
	for _, p := range v.node.Pairs {
		sandboxTexts(d, value{node: p.Value, key: p.Key, path: v.path + "." + p.Key.Value, lenient: v.lenient}, s)
	}
}

func readSandbox(d *decoder, v value) (string, bool) {
	s := sandboxDecl{ok: true}
	ok := decodeFields(d, sandboxLevel, v, sandboxFields, &s)
	return v.node.JSON(), ok && s.ok
}

// readPi reads the settings that only the agent pi has.
func readPi(d *decoder, v value) (string, bool) {
	s := sandboxDecl{ok: true}
	ok := decodeFields(d, piLevel, v, piFields, &s)
	return v.node.JSON(), ok && s.ok
}
