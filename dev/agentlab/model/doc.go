// Package model is a fake model on the loopback interface. It speaks the APIs
// that agent programs speak (Anthropic Messages, OpenAI Responses, OpenAI Chat
// Completions and Gemini), streamed or not, and answers by scripts of the test.
//
// A prompt chooses its script by a marker, such as [lab:plain]; Mark writes one.
// The last message of the user that has a marker counts, so that a session that
// continues with another prompt continues with another script. Each time the
// program returns results of tools, the script advances by one step; its last
// step repeats.
//
// A request without a marker gets "ok", and so do titles and the like, which
// programs ask for beside the conversation: they belong to no script.
package model
