// Package agentlab runs the real agent programs, of the versions that package
// install pins, against a fake model. Nothing leaves the machine, and nothing
// costs anything.
//
//	make test-agents
//	make test-agents RUN=TestAgents/codex-0.169.0/denial
//
// A program and a scenario make a cell. Each cell has a folder, a home folder and
// a fake model of its own. It compiles a workflow and a wfc.yaml by `wfc build`,
// runs the binary, and looks at both sides: what the model was asked, and what
// the run came to. A cell that cannot be says why. At the end a table shows all
// cells; -update writes it to docs/guide/agents-verified.md.
//
// Where the system allows it, the cells run in a network namespace that has
// nothing but the loopback interface. Everywhere, proxies refuse connections to
// other machines and note them.
//
// Without WFC_AGENTS the tests do nothing, so that `go test ./...` needs neither
// npm nor a network.
package agentlab
