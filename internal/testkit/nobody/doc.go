// Package nobody runs tests of the sandbox again as a user who does not administer the system,
// on Linux.
package nobody
