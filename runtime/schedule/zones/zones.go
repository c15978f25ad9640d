// Package zones embeds the time zone database. Import it so that schedules with a zone work
// on machines without such a database, such as small containers:
//
//	import _ "github.com/wfc-lang/wfc/runtime/schedule/zones"
//
// The package exports nothing. The import alone gives every zone to package time:
//
//	zone, err := time.LoadLocation("Europe/Berlin")
package zones

import _ "time/tzdata" // half a megabyte, which is why it is a separate package
