package diag

import "github.com/wfc-lang/wfc/compiler/source"

// 73x: when workflows are to run.
var scheduleCodes = []*Code{badSchedule, neverFires, eitherDay}

const afterSchedule = "deliver_to: [slack]\nsteps:\n  - id: a\n    prompt: hi\n"

var badSchedule = &Code{
	ID: "WFC730", Slug: "bad-schedule", Severity: Error,
	Doc: `The schedule cannot be read. It is a cron expression of five fields: minute,
hour, day of the month, month, day of the week; or one of @hourly, @daily, @weekly,
@monthly and @yearly. A time zone may stand before it: CRON_TZ=Europe/Berlin.`,
	Bad:  "name: w\nschedule: \"0 25 * * MON\"\n" + afterSchedule,
	Good: "name: w\nschedule: \"0 9 * * MON\"\n" + afterSchedule,
}

// BadSchedule reports a schedule that cannot be read.
func BadSchedule(at source.Span, problem string) *Diagnostic { return badSchedule.new(at, problem) }

var neverFires = &Code{
	ID: "WFC731", Slug: "never-fires", Severity: Error,
	Doc:  `There is no day on which the schedule fires.`,
	Bad:  "name: w\nschedule: \"0 9 31 2 *\"\n" + afterSchedule,
	Good: "name: w\nschedule: \"0 9 28 2 *\"\n" + afterSchedule,
}

// NeverFires reports a schedule that never comes.
func NeverFires(at source.Span, problem string) *Diagnostic { return neverFires.new(at, problem) }

var eitherDay = &Code{
	ID: "WFC732", Slug: "either-day", Severity: Warning,
	Doc: `The schedule names both days of the month and days of the week. It fires on the
days that are one or the other, as every cron does, and not on those that are both.`,
	Bad:  "name: w\nschedule: \"0 9 13 * FRI\"\n" + afterSchedule,
	Good: "name: w\nschedule: \"0 9 * * FRI\"\n" + afterSchedule,
}

// EitherDay warns of a schedule that fires more often than it reads.
func EitherDay(at source.Span, problem string) *Diagnostic { return eitherDay.new(at, problem) }
