// Package embed opens engines for Go programs that run workflows: the store, the
// agents and the performers in one call.
//
// A package that `wfc gen --engine` wrote has a function Open, which calls this
// one with what its workflow needs and with the settings that wfc.yaml had when
// the code was generated:
//
//	e, err := triage.Open(ctx)
//	if err != nil {
//		return err
//	}
//	defer e.Shutdown(context.Background())
//	out, err := triage.Run(ctx, e, triage.Inputs{Arguments: "dark mode please"})
//
// An engine for several workflows opens with the needs of each, and with what
// the program sets itself; later options go before earlier ones:
//
//	e, err := embed.Open(ctx, triage.Needs(), release.Needs(), embed.Options{
//		Answers: map[string]embed.Answer{"": askMyModel},
//	})
//
// A program links what its options name and nothing else. The package links no
// agent that is a program or a service, no performer and no database.
package embed
