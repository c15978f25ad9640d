package config

import (
	"net/url"

	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// database reads the URL of a database. The file is kept with the project, and
// what it says goes into programs: neither is a place for a password.
func (d *decoder) database(setting string, n *yamlsrc.Node) {
	text := d.text(setting, n)
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Host == "" && u.Query().Get("host") == "" {
		d.wrong(setting, n, "a URL such as postgres://user@host/name")
		return
	}
	_, password := u.User.Password()
	if query := u.Query(); password || query.Has("password") || query.Has("sslpassword") {
		d.wrong(setting, n, "a URL without a password, which belongs into WFC_DATABASE_URL, PGPASSWORD or ~/.pgpass")
		return
	}
	d.config.Database = text
}
