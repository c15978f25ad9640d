//go:build unix

package attacks

import "pgregory.net/rapid"

// places are what can be around a hole in each language, whether a value may be there or not:
// what is before and after it. The compiler decides which nestings of them it accepts.
var places = map[string][][2]string{
	"bash": {
		{`"`, `"`}, {`'`, `'`}, {`$'`, `'`}, {`$"`, `"`}, {"`", "`"}, {"\\", ""}, {"", " "}, {" ", ""}, {"", "\n"}, {"-", ""}, {"x", ""}, {"$", ""}, {"", "; "}, {"", " | cat"}, {"", " &\nwait"}, {"! ", ""},
		{"$(", ")"}, {"$(echo ", ")"}, {"cat <(echo ", ")"}, {"(", ")"}, {"{ ", "; }"}, {"${y:-", "}"}, {"${y:=", "}"}, {"${y:+", "}"}, {"${y#", "}"}, {"${y%%", "}"}, {"${y/a/", "}"}, {"${y/", "/b}"}, {"${y:", "}"}, {"${y:0:", "}"},
		{"${y^", "}"}, {"${a[", "]}"}, {"${!", "}"}, {"${#", "}"}, {"${y@", "}"}, {"$((", "))"}, {"$((1+", "))"}, {"((x=", "))"}, {"((a[", "]=1))"}, {"$[", "]"}, {"let x=", ""}, {"a[", "]=1"}, {"a=(", ")"}, {"a+=([k]=", ")"}, {"x=", ""},
		{"[[ ", " ]]"}, {"[[ -n ", " ]]"}, {"[[ x == ", " ]]"}, {"[[ x =~ ", " ]]"}, {"[[ 1 -eq ", " ]]"}, {"[[ -v ", " ]]"}, {"[ ", " ]"}, {"[ 1 -lt ", " ]"}, {"test -z ", ""}, {"[ -v ", " ]"},
		{"cat <<EOF\n", "\nEOF\n"}, {"cat <<'EOF'\n", "\nEOF\n"}, {"cat <<-E\\OF\n\t", "\n\tEOF\n"}, {"cat <<< ", ""}, {"cat <<", "\nx\nEOF"}, {"case ", " in x) echo;; esac"}, {"case x in ", ") echo;; esac"}, {"case x in (a|", ") ;; esac"},
		{"for i in ", "; do echo \"$i\"; done"}, {"for ((i=0;i<", "&&i<3;i++)); do :; done"}, {"for ", " in 1; do :; done"}, {"if ", "; then echo; fi"}, {"while false; do ", "; done"}, {"until ", "; do break; done"}, {"select i in ", "; do break; done </dev/null"},
		{"f() { ", "; }; f"}, {"f() ( ", " ); f"}, {"function ", " { :; }"}, {"time ", ""}, {"echo ", ""}, {"echo -e ", ""}, {"printf ", ""}, {"printf '%s' ", ""}, {"printf %d ", ""}, {"printf -v y %s ", ""}, {"printf -v ", " x"}, {"X=", " env"}, {"IFS=", " read -r y <<<a"},
		{"read -r y <<<", ""}, {"read -r ", " <<<a"}, {"mapfile -t a <<<", ""}, {"mapfile -C ", " a <<<b"}, {"declare x=", ""}, {"declare -i x=", ""}, {"declare -A m; m[", "]=1"}, {"declare -n r=", ""}, {"declare ", ""}, {"export X=", ""}, {"readonly R", "=1"},
		{"unset ", ""}, {"set -- ", ""}, {"set -o ", ""}, {"shift ", ""}, {"exit ", ""}, {"wait -p ", " 1"}, {"trap - ", ""}, {"trap ", " EXIT"}, {"PS4=", "; set -x; :"}, {"getopts ab ", ""}, {"{a,", "}"}, {"{1..", "}"}, {"{", ",b}"}, {"@(a|", ")"}, {"~", ""}, {"# ", "\n"},
		{">", ""}, {"</dev/null >&", ""}, {"{fd}<", ""}, {"exec {", "}</dev/null"}, {"command ", ""}, {"builtin echo ", ""}, {"xargs -n1 echo <<<", ""}, {"sh -c 'echo \"$1\"' _ ", ""}, {"awk -v x=", " 'BEGIN { print x }'"}, {"sed -n ", " </dev/null"}, {"type ", ""}, {"[[ a && ", " ]]"}, {"alias x=", ""},
	},
	"python": {
		{`"`, `"`}, {`'`, `'`}, {`"""`, `"""`}, {`'''`, `'''`}, {`r"`, `"`}, {`b'`, `'`}, {`rb"`, `"`}, {`u'`, `'`}, {`f'`, `'`}, {`f"{`, `}"`}, {`f"{1:`, `}"`}, {`f"{1!r:>{`, `}}"`}, {`rf'''`, `'''`}, {`F"`, `"`}, {`f"{'`, `'}"`}, {`"a" `, ``}, {`"%s" % `, ``}, {"\\", ""}, {"", "\n"}, {"", "; "}, {" ", ""},
		{"print(", ")"}, {"(", ")"}, {"[", "]"}, {"{", "}"}, {"{'a': ", "}"}, {"{", ": 1}"}, {"(lambda: ", ")()"}, {"lambda x=", ": x"}, {"x = ", ""}, {"", " = 1"}, {"x = [1]\nx[", "]"}, {"x.", ""}, {"", ".y"}, {"def f(x=", "):\n    return x\nf()\n"}, {"def ", "():\n    pass\n"}, {"if ", ":\n    pass\n"}, {"for x in ", ":\n    print(x)\n"}, {"for ", " in []:\n    pass\n"},
		{"match 1:\n    case ", ":\n        pass\n"}, {"match ", ":\n    case _:\n        pass\n"}, {"# ", "\n"}, {"not ", ""}, {"1 + ", ""}, {"-", ""}, {"class ", ":\n    pass\n"}, {"class C:\n    a = ", "\n"}, {"import ", ""}, {"from ", " import x"}, {"assert ", ""}, {"del ", ""}, {"raise ", ""}, {"@", "\ndef f():\n    pass\n"}, {"x: ", " = 1"},
		{"with open(", ") as f:\n    pass\n"}, {"str(", ")"}, {"len(", ")"}, {"int(", ")"}, {"repr(", ")"}, {"'{}'.format(", ")"}, {"", ".format(1)"}, {"import json\njson.loads(", ")"}, {"import re\nre.match(", ", '')"}, {"import subprocess\nsubprocess.run(['echo', ", "])"}, {"try:\n    ", "\nexcept Exception:\n    pass\n"}, {"*", ""}, {"**", ""}, {"print(*", ")"}, {"dict(**", ")"}, {"x if ", " else y"}, {"(x := ", ")"}, {"await ", ""}, {"global ", ""},
	},
	"bun": {
		{`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"`${", "}`"}, {"`a${1}", "`"}, {"String.raw`", "`"}, {"((x) => x)`", "`"}, {"\\", ""}, {"", "\n"}, {"", ";"}, {" ", ""}, {"console.log(", ")"}, {"(", ")"}, {"[", "]"}, {"({ a: ", " })"}, {"({ [", "]: 1 })"}, {"({ ", ": 1 })"}, {"({ ", " })"}, {"(() => ", ")()"}, {"((x = ", ") => x)()"}, {"let x = ", ""}, {"let ", " = 1"}, {"const [x = ", "] = []"},
		{"x = {}; x[", "]"}, {"x.", ""}, {"", ".length"}, {"/", "/"}, {"/[", "]/"}, {"/a/.test(", ")"}, {"1 / ", " / 2"}, {"new RegExp(", ")"}, {"// ", "\n"}, {"/* ", " */"}, {"if (", ") {}"}, {"for (const x of [", "]) {}"}, {"for (const x of ", ") {}"}, {"while (false) { ", " }"}, {"switch (1) { case ", ": }"}, {"function f(x = ", ") {}"}, {"function ", "() {}"}, {"class C { static a = ", " }"}, {"class C { [", "]() {} }"}, {"class ", " {}"}, {"class C extends ", " {}"},
		{"label: ", ""}, {"typeof ", ""}, {"-", ""}, {"!", ""}, {"1 + ", ""}, {"throw ", ""}, {"try { ", " } catch {}"}, {"", " = 1"}, {"", "++"}, {"...", ""}, {"[...", "]"}, {"<a>", "</a>"}, {"<a b=", " />"}, {"x ? ", " : 1"}, {"1 ?? ", ""}, {"import x from ", ""}, {"import(", ")"}, {"JSON.parse(", ")"}, {"String(", ")"}, {"Number(", ")"}, {"let x: ", " = 1"}, {"x as ", ""}, {"({}).", ""}, {"#!", "\n"},
	},
}

// nested draws a script in which holes are anywhere. Most are no programs.
func (d *drawer) nested(language string) string {
	if language == "uv" {
		language = "python"
	}
	inside := rapid.SampledFrom([]string{"«v»", "«w»", "«v»", "«n»", "a", "", "x «v»", "«v»«w»", "'«v»'", `"«v»"`}).Draw(d.T, "inside")
	for range 1 + d.upTo(3) {
		place := rapid.SampledFrom(places[language]).Draw(d.T, "place")
		inside = place[0] + inside + place[1]
		if d.upTo(3) == 0 {
			inside += d.pick("\n", " ", ", ", "; ") + d.pick("«v»", "«n»", "'«w»'", `"«w»"`, "y")
		}
	}
	if d.upTo(5) == 0 && d.loops {
		return "⟨for⟩" + inside + "\n⟨endfor⟩"
	}
	if d.upTo(5) == 0 && d.ifs {
		return "⟨if⟩" + inside + "⟨else⟩" + d.pick("", "«w»", "'«v»'", "x", `"`) + "⟨endif⟩"
	}
	return inside
}
