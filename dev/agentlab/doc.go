// Package agentlab runs the real agent programs, in the versions that package
// install pins, against a fake model. Nothing leaves the machine, and nothing costs
// anything.
//
//	make test-agents
//	make test-agents RUN=TestAgents/codex-0.169.0/denial
//
// A program and a scenario make a cell. Each cell has its own folder, home folder
// and fake model. It compiles a workflow and a wfc.yaml by `wfc build`, runs the
// binary, and checks both sides: the requests to the model, and the results of the
// run. At the end a table shows all cells, with the reasons why scenarios do not apply
// to programs; -update writes it to docs/guide/agents-verified.md.
//
// Where the system allows it, the cells run in a network namespace that has nothing
// but the loopback interface. Everywhere, proxies refuse connections to other
// machines and note them.
//
// Without WFC_AGENTS the tests do nothing, so `go test ./...` needs neither npm nor
// a network.
package agentlab
