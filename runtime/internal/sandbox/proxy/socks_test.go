package proxy_test

import (
	"strings"
	"testing"
)

// TestSOCKS sends whole conversations at once.
func TestSOCKS(t *testing.T) {
	w := start(t, echo(t), "granted.test", "1.2.3.4:80", "[2606:4700::1111]:80", "127.0.0.1:80")
	const none, request, done, zero = "\x05\x01\x00", "\x05\x01\x00", "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", "\x00\x01\x00\x00\x00\x00\x00\x00"
	const ip6 = "\x26\x06\x47\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x11\x11"
	const mapped = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x7f\x00\x00\x01"
	for _, test := range []struct{ sent, want, dialled string }{
		{none + request + "\x03\x0cgranted.test\x00\x50hello", "\x05\x00" + done + "helloend", publicAddress + ":80"},
		{none + request + "\x03\x0dGRANTED.test.\x01\xbbhello", "\x05\x00" + done + "helloend", publicAddress + ":443"},
		{none + request + "\x01\x01\x02\x03\x04\x00\x50", "\x05\x00" + done + "end", "1.2.3.4:80"},
		{none + request + "\x03\x071.2.3.4\x00\x50", "\x05\x00" + done + "end", "1.2.3.4:80"},
		{none + request + "\x04" + ip6 + "\x00\x50", "\x05\x00" + done + "end", "[2606:4700::1111]:80"},
		{"\x05\x02\x01\x02\x01\x03abc\x02de" + request + "\x01\x01\x02\x03\x04\x00\x50x", "\x05\x02\x01\x00" + done + "xend", "1.2.3.4:80"},
		{"\x05\x02\x02\x00" + request + "\x01\x01\x02\x03\x04\x00\x50x", "\x05\x00" + done + "xend", "1.2.3.4:80"},
		{none + request + "\x04" + mapped + "\x00\x50", "\x05\x00\x05\x02" + zero, ""},
		{none + request + "\x01\x7f\x00\x00\x01\x00\x51", "\x05\x00\x05\x02" + zero, ""},
		{none + request + "\x03\x0cgranted.test\x00\x00", "\x05\x00\x05\x02" + zero, ""},
		{none + request + "\x03\x00\x00\x50", "\x05\x00\x05\x02" + zero, ""},
		{none + request + "\x03\x0dgranted.test\x00\x00\x50", "\x05\x00\x05\x02" + zero, ""},
		{none + request + "\x03\x1agranted.test\r\nX: y\r\n\r\nabcd\x00\x50", "\x05\x00\x05\x02" + zero, ""},
		{none + "\x05\x02\x00\x01\x01\x02\x03\x04\x00\x50", "\x05\x00\x05\x07" + zero, ""},
		{none + "\x05\x03\x00\x03\x0cgranted.test\x00\x50", "\x05\x00\x05\x07" + zero, ""},
		{none + request + "\x02\x01\x02\x03\x04\x00\x50", "\x05\x00\x05\x08" + zero, ""},
		{none + "\x04\x01\x00\x01\x01\x02\x03\x04\x00\x50", "\x05\x00", ""},
		{"\x05\x01\x01", "\x05\xff", ""}, {"\x05\x00", "\x05\xff", ""}, {"\x05", "\x05\xff", ""},
		{none, "\x05\x00", ""}, {none + request + "\x03\x0cgranted", "\x05\x00", ""}, {"\x05\x01\x02\x01", "\x05\x02", ""},
	} {
		answer := w.send(t, test.sent)
		if answer != test.want && !(len(test.sent) == 1 && answer == "") {
			t.Errorf("%q: %q, want %q", test.sent, answer, test.want)
		}
		if got := w.take(&w.dialled); got != test.dialled {
			t.Errorf("%q: dialled %q", test.sent, got)
		}
	}
	if refused := w.take(&w.refused); refused != strings.Join([]string{"local:[::ffff:127.0.0.1]:80", "local:127.0.0.1:81"}, " ") {
		t.Errorf("refused %s", refused)
	}
}
