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
	{Name: "enabled", Shape: decode.Bool,
		Doc:  "Runs the commands of the agent in its sandbox.",
		Read: sandboxFlag},
	{Name: "autoAllowBashIfSandboxed", Shape: decode.Bool,
		Doc:  "Allows bash commands without a question inside the sandbox.",
		Read: sandboxFlag},
	{Name: "allowUnsandboxedCommands", Shape: decode.Bool,
		Doc:  "Allows commands outside the sandbox.",
		Read: sandboxFlag},
	{Name: "enableWeakerNestedSandbox", Shape: decode.Bool,
		Doc:  "Allows a weaker sandbox inside containers.",
		Read: sandboxFlag},
	{Name: "enableWeakerNetworkIsolation", Shape: decode.Bool,
		Doc:  "Allows weaker isolation of the network.",
		Read: sandboxFlag},
	{Name: "excludedCommands", Shape: decode.ListOf(decode.String),
		Doc:  "Commands that run outside the sandbox.",
		Read: sandboxTexts},
	{Name: "ignoreViolations", Shape: decode.MapOf(decode.ListOf(decode.String)),
		Doc:  "Violations to ignore, by command.",
		Read: sandboxLists},
	{Name: "network", Shape: decode.Object(&networkLevel),
		Doc: "What the sandbox may reach over the network.",
		Read: func(d *decoder, v value, s *sandboxDecl) {
			s.ok = decode.Fields(d, networkLevel, v, networkFields, s) && s.ok
		}},
	{Name: "filesystem", Shape: decode.Object(&filesystemLevel),
		Doc: "What the sandbox may read and write.",
		Read: func(d *decoder, v value, s *sandboxDecl) {
			s.ok = decode.Fields(d, filesystemLevel, v, filesystemFields, s) && s.ok
		}},
	{Name: "ripgrep", Shape: decode.Object(&ripgrepLevel),
		Doc: "Program that searches files in the sandbox.",
		Read: func(d *decoder, v value, s *sandboxDecl) {
			if !decode.Fields(d, ripgrepLevel, v, ripgrepFields, s) {
				s.ok = false
				return
			}
			s.ok = d.missing(v, ripgrepLevel, "command") && s.ok
		}},
}

var networkFields = []field[sandboxDecl]{
	{Name: "allowedDomains", Shape: decode.ListOf(decode.String),
		Doc:  "Domains that may be reached.",
		Read: sandboxTexts},
	{Name: "allowManagedDomainsOnly", Shape: decode.Bool,
		Doc:  "Allows only the domains that an administrator set in the managed settings of the agent.",
		Read: sandboxFlag},
	{Name: "allowUnixSockets", Shape: decode.ListOf(decode.String),
		Doc:  "Unix sockets that may be opened.",
		Read: sandboxTexts},
	{Name: "allowAllUnixSockets", Shape: decode.Bool,
		Doc:  "Allows all Unix sockets.",
		Read: sandboxFlag},
	{Name: "allowLocalBinding", Shape: decode.Bool,
		Doc:  "Allows servers on local ports.",
		Read: sandboxFlag},
	{Name: "httpProxyPort", Shape: decode.Number,
		Doc:  "Port of an HTTP proxy.",
		Read: sandboxNumber},
	{Name: "socksProxyPort", Shape: decode.Number,
		Doc:  "Port of a SOCKS proxy.",
		Read: sandboxNumber},
}

var filesystemFields = []field[sandboxDecl]{
	{Name: "allowWrite", Shape: decode.ListOf(decode.String),
		Doc:  "Paths that may be written.",
		Read: sandboxTexts},
	{Name: "denyWrite", Shape: decode.ListOf(decode.String),
		Doc:  "Paths that may not be written.",
		Read: sandboxTexts},
	{Name: "denyRead", Shape: decode.ListOf(decode.String),
		Doc:  "Paths that may not be read.",
		Read: sandboxTexts},
}

var ripgrepFields = []field[sandboxDecl]{
	{Name: "command", Shape: decode.String, Required: true,
		Doc:  "The program.",
		Read: func(d *decoder, v value, s *sandboxDecl) { _, ok := d.Text(v); s.ok = s.ok && ok }},
	{Name: "args", Shape: decode.ListOf(decode.String),
		Doc:  "Arguments of the program.",
		Read: sandboxTexts},
}

var piFields = []field[sandboxDecl]{
	{Name: "enableExtensions", Shape: decode.Bool,
		Doc:  "Loads the extensions of pi.",
		Read: sandboxFlag},
	{Name: "interactive", Shape: decode.Bool,
		Doc:  "Lets extensions of pi ask questions.",
		Read: sandboxFlag},
	{Name: "extensionFlags", Shape: decode.MapOf(decode.Bool.Else(decode.String)),
		Doc: "Flags of extensions of pi.",
		Read: func(d *decoder, v value, s *sandboxDecl) {
			if !d.IsMapping(v) {
				s.ok = false
				return
			}
			for _, p := range v.Node.Pairs {
				if kind := decode.KindOf(p.Value); kind != "a boolean" && kind != "a string" {
					d.WrongKind(v.Member(&p), "true, false or a string")
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
