// Package suite writes tests that cover a workflow: every edge, both results of each
// condition and of its terms, each answer of a person, each way to end a loop.
//
// A search finds the tests. A candidate is a scenario: a list of replies, results or
// answers for each place that asks for one. The search starts with a scenario in which
// everything succeeds. It derives changes to scenarios from the program: the values on
// both sides of each comparison, the values of enums, failures, late replies, rejections.
// For an item that is not covered yet, it solves the conditions on the way to the item
// backward. For a state graph, internal/explore has runs to every edge. A Runner runs the
// candidates on the simulated engine and tells what each one covered.
//
// A small set of the candidates that together cover everything becomes the test file. Their
// expectations are the results of their runs. An item that no candidate covers is reported
// with the reason.
package suite
