// Package zones links the time zone database into programs that import it, for
// schedules that name a zone: so that they mean the same on machines, such as
// small containers, that have none.
package zones

import _ "time/tzdata" // half a megabyte, which is why it stands alone
