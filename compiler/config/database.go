package config

import (
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/store/databaseurl"
)

// database reads the URL of a database. The file is kept with the project, and
// what it says goes into programs: neither is a place for a password.
func (d *decoder) database(setting string, n *yamlsrc.Node) {
	text := d.text(setting, n)
	if text == "" {
		return
	}
	u, err := databaseurl.Parse(text)
	if err != nil || u.Host == "" && u.Query().Get("host") == "" {
		d.hidden(setting, n, "a URL such as postgres://user@host/name, without a password and with special characters encoded (@ as %40)")
		return
	}
	if databaseurl.HasPassword(u) {
		d.hidden(setting, n, "a URL without a password, which belongs into WFC_DATABASE_URL, PGPASSWORD or ~/.pgpass")
		return
	}
	d.config.Database = text
}

// hidden reports a wrong value that may hold a password.
func (d *decoder) hidden(setting string, n *yamlsrc.Node, want string) {
	wrong := finding.ConfigValue(n.Place(), setting, want)
	wrong.Hidden = true
	d.bag.Add(wrong)
}
