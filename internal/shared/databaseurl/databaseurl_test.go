package databaseurl

import (
	"strings"
	"testing"
)

// unreadable is what the test says of a URL that Parse refuses.
const unreadable = "unreadable"

func TestShown(t *testing.T) {
	for given, want := range map[string]string{
		"postgres://ann@db.example:5432/wfc?sslmode=require":         "postgres://ann@db.example:5432/wfc?sslmode=require",
		"postgres://ann:hush@db/wfc":                                 "postgres://ann@db/wfc",
		"postgres://ann:@db/wfc":                                     "postgres://ann@db/wfc",
		"postgresql:///wfc?host=/run/postgresql&password=hush":       "postgresql:///wfc?host=/run/postgresql",
		"postgresql:///wfc?pass%77ord=hush&sslPassword=hush&user=a":  "postgresql:///wfc?user=a",
		"postgres://db/wfc?user=a&password=hu@sh&application_name=b": "postgres://db/wfc?user=a&application_name=b",
		"postgres://db":                                       "postgres://db",
		"postgres://ann:h%23u%2Fs%3Fh%40@db/wfc":              "postgres://ann@db/wfc",
		"postgres://ann@corp:hush@db/wfc":                     "postgres://ann%40corp@db/wfc",
		"postgres://[::1]:5432/wfc":                           "postgres://[::1]:5432/wfc",
		"host=db user=ann password=hush dbname=wfc":           unreadable,
		"mysql://ann:hush@db/wfc":                             unreadable,
		"postgres:ann:hush@db":                                unreadable,
		"postgres:/ann:hush@db":                               unreadable,
		" postgres://ann:hush@db/wfc":                         unreadable,
		"POSTGRES://ann:hush@db/wfc":                          unreadable,
		"postgres://db/wfc?user=ann@corp&application_name=b@": unreadable,
	} {
		got := unreadable
		if u, err := Parse(given); err == nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

// Whatever a password that nobody encoded holds: nothing of it is ever shown,
// neither in the URL nor in the error.
func TestPasswordsThatAreNotEncoded(t *testing.T) {
	for _, password := range []string{
		"1234#zq", "1234/zq", "1234?zq", "zq#1234", "zq/1234", "zq?1234", "#zq", "/zq", "?zq", "1234@zq", "zq@1234", "1234:zq", "zq:1234", "%zq", "12%zq", "zq%",
		"1#zq/2?3", "1/zq?a=b", "1/zq?a=b&c", "1?zq=3", "1?zq=3&k", "1?user=zq", "12/34?56#zq", "12?a=3@zq", "12/a@zq", "1 zq", "1\tzq", "1\nzq", "12[zq", "12]zq", "12\\zq", "zq", "z#q", "12#", "12/", "12?", "12^zq", "12<zq>", "12zq\x00",
	} {
		for _, form := range []string{"postgres://ann:%@db.example/wfc", "postgres://ann:%@db.example:5432/wfc?sslmode=disable", "postgres://ann:%@db.example", "postgresql://:%@/wfc"} {
			text := strings.Replace(form, "%", password, 1)
			var shown string
			u, err := Parse(text)
			if err != nil {
				shown = err.Error()
			} else {
				shown = u.String()
			}
			if strings.Contains(shown, "zq") || strings.Contains(shown, "z#") || strings.Contains(shown, "1234") || strings.Contains(shown, ":12") {
				t.Errorf("%q shows its password: %s", text, shown)
			}
			if err == nil && !u.HasPassword() {
				t.Errorf("%q is read as if it had no password", text)
			}
		}
	}
}

func TestTables(t *testing.T) {
	for given, want := range map[string]string{
		"postgres://ann:hush@db:5432/wfc":                                         "postgres://ann@db:5432/wfc",
		"postgres://db/wfc?sslmode=disable&search_path=a&password=hush&options=b": "postgres://db/wfc?search_path=a&options=b",
		"postgresql:///wfc?host=/run/postgresql&application_name=x":               "postgresql:///wfc?host=/run/postgresql",
	} {
		u, err := Parse(given)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Tables().String(); got != want {
			t.Errorf("the tables of %q are %q, want %q", given, got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	u, err := Parse("postgres://ann:a%2fb%40c@db/wfc?password=x%20y&sslpassword=")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(u.Secrets(), "\n")
	for _, want := range []string{"a/b@c", "a%2Fb%40c", "x y", "x+y", "x%20y"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not hidden; hidden are\n%s", want, all)
		}
	}
}
