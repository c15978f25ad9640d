// Package zones embeds the time zone database. Import it so that schedules with a zone work
// on machines without such a database, such as small containers.
package zones

import _ "time/tzdata" // half a megabyte, which is why it is a separate package
